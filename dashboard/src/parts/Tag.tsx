import type { ReactNode } from "react";
import type { ItemFlag, ItemStatus, ItemType } from "~/api/types";
import classes from "./parts.module.css";

export type Tone = "plain" | "good" | "warn" | "bad" | "info" | "soft";

/** A word in a coloured field. The word says it all; the colour only repeats it. */
export function Tag({
  tone = "plain",
  title,
  children,
}: {
  tone?: Tone;
  title?: string;
  children: ReactNode;
}) {
  return (
    <span className={`${classes.tag} ${classes[tone]}`} title={title}>
      {children}
    </span>
  );
}

export const TYPES: ItemType[] = [
  "architecture",
  "convention",
  "decision",
  "implementation",
  "bug",
  "todo",
  "codemap",
];

const STATUS: Record<ItemStatus, Tone> = { approved: "good", draft: "info", deprecated: "plain" };

export function StatusTag({ status }: { status: ItemStatus }) {
  return <Tag tone={STATUS[status]}>{status}</Tag>;
}

export function TypeTag({ type }: { type: string }) {
  return <Tag tone="soft">{type}</Tag>;
}

const FLAGS: Record<ItemFlag, [string, Tone, string]> = {
  conflict: ["conflict", "bad", "Another memory says something else"],
  stale: ["stale", "warn", "A file it speaks of has changed since"],
  low_confidence: ["low confidence", "warn", "The evidence is indirect"],
  quality: ["quality", "warn", "It says little, or says it badly"],
  redacted: ["redacted", "plain", "A secret was taken out of it"],
};

export function FlagTags({ flags }: { flags: ItemFlag[] }) {
  return flags.map((flag) => {
    const [word, tone, why] = FLAGS[flag];
    return (
      <Tag key={flag} tone={tone} title={why}>
        {word}
      </Tag>
    );
  });
}

/** How sure it is, in a word that can be compared. */
export function Confidence({ value }: { value: number }) {
  return <Tag title="Confidence: how direct the evidence is">{Math.round(value * 100)}% sure</Tag>;
}
