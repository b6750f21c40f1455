import {
  IconAlertTriangle,
  IconArrowsSplit2,
  IconEyeOff,
  IconFileAlert,
  IconHelpCircle,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { ItemFlag } from "~/api/types";
import { FlagTags } from "~/parts/Tag";
import classes from "./item.module.css";

const WORDS: Record<ItemFlag, [ReactNode, string]> = {
  conflict: [
    <IconArrowsSplit2 key="i" size={18} />,
    "Another memory says something else. Both stay out of agreement until somebody decides.",
  ],
  stale: [
    <IconFileAlert key="i" size={18} />,
    "A file it speaks of has changed or gone since it was learnt. Approve it if it still holds.",
  ],
  low_confidence: [
    <IconHelpCircle key="i" size={18} />,
    "The evidence is indirect: nobody said it outright. It waits for a person's word.",
  ],
  quality: [
    <IconAlertTriangle key="i" size={18} />,
    "It says little, or says it badly. An edit or an approval settles that.",
  ],
  redacted: [
    <IconEyeOff key="i" size={18} />,
    "A secret stood in the text and was taken out. It is never approved by itself.",
  ],
};

/** What speaks against an item, in words. */
export function Doubts({ flags }: { flags: ItemFlag[] }) {
  if (flags.length === 0) return null;
  return (
    <ul className={classes.doubts} aria-label="Doubts">
      {flags.map((flag) => (
        <li key={flag} className={classes.doubt}>
          {WORDS[flag][0]}
          <FlagTags flags={[flag]} />
          <span>{WORDS[flag][1]}</span>
        </li>
      ))}
    </ul>
  );
}
