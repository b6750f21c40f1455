import type { ReactNode } from "react";
import type { ItemFlag, ItemStatus, ItemType } from "~/api/types";
import classes from "./parts.module.css";

export type Tone = "plain" | "good" | "warn" | "bad" | "info" | "soft";

/** A colored label. The text carries the meaning; the color only repeats it. */
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

export const ITEM_TYPES: ItemType[] = [
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
  conflict: ["conflict", "bad", "Contradicts another memory"],
  stale: ["stale", "warn", "May be outdated: a file changed or was deleted, or a commit was reverted"],
  low_confidence: ["low confidence", "warn", "Reviewers keep few memories of this kind"],
  quality: ["low quality", "warn", "Vague or poorly worded"],
  redacted: ["redacted", "plain", "A secret was removed"],
};

export function FlagTags({ flags }: { flags: ItemFlag[] }) {
  return flags.map((flag) => {
    const [label, tone, description] = FLAGS[flag];
    return (
      <Tag key={flag} tone={tone} title={description}>
        {label}
      </Tag>
    );
  });
}

export function Confidence({
  value,
  title = "Confidence: the share of memories of this kind that reviewers keep",
}: {
  value: number;
  title?: string;
}) {
  return <Tag title={title}>{Math.round(value * 100)}% confidence</Tag>;
}
