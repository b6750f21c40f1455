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

const EXPLANATIONS: Record<ItemFlag, [ReactNode, string]> = {
  conflict: [
    <IconArrowsSplit2 key="i" size={18} />,
    "Another memory contradicts this one. Decide which one to keep.",
  ],
  stale: [
    <IconFileAlert key="i" size={18} />,
    "A file it references was changed or deleted, or a commit it is based on was reverted. Check whether it is still valid.",
  ],
  low_confidence: [
    <IconHelpCircle key="i" size={18} />,
    "Reviewers keep few memories of this kind. Check whether this one is correct and worth keeping.",
  ],
  quality: [
    <IconAlertTriangle key="i" size={18} />,
    "The content is thin or unclear. Edit it, or confirm that it is fine as it is.",
  ],
  redacted: [
    <IconEyeOff key="i" size={18} />,
    "A secret was removed from the text. This memory is never approved automatically.",
  ],
};

/** Explains each of an item's flags. */
export function FlagList({ flags }: { flags: ItemFlag[] }) {
  if (flags.length === 0) return null;
  return (
    <ul className={classes.flags} aria-label="Flags">
      {flags.map((flag) => (
        <li key={flag} className={classes.flag}>
          {EXPLANATIONS[flag][0]}
          <FlagTags flags={[flag]} />
          <span>{EXPLANATIONS[flag][1]}</span>
        </li>
      ))}
    </ul>
  );
}
