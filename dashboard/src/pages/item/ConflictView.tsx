import { Group, Text } from "@mantine/core";
import { IconArrowsSplit2 } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Item } from "~/api/types";
import { Markdown } from "~/parts/Markdown";
import { Confidence, StatusTag, TypeTag } from "~/parts/Tag";
import { RelativeTime } from "~/parts/format";
import classes from "./item.module.css";

function Side({ item, name, below }: { item: Item; name: string; below?: ReactNode }) {
  return (
    <section className={classes.side} aria-label={name}>
      <Text size="xs" c="dimmed" fw={600} className={classes.sideName}>
        {name}
      </Text>
      <Link href={`/p/${item.projectId}/memory/${item.id}`} className={classes.sideTitle}>
        {item.title}
      </Link>
      <Group gap={6} my="xs">
        <StatusTag status={item.status} />
        <TypeTag type={item.type} />
        <Confidence value={item.confidence} />
        <Text size="xs" c="dimmed">
          <RelativeTime at={item.createdAt} />
        </Text>
      </Group>
      <Markdown text={item.content} />
      {below}
    </section>
  );
}

interface Props {
  item: Item;
  other: Item;
  reason: string | null;
  renderBelow?: (item: Item) => ReactNode;
}

/** Two contradicting items side by side. */
export function ConflictView({ item, other, reason, renderBelow }: Props) {
  return (
    <div>
      {reason && (
        <p className={classes.conflictReason}>
          <IconArrowsSplit2 size={18} aria-hidden />
          <span>This memory {reason}.</span>
        </p>
      )}
      <div className={classes.conflict}>
        <Side item={item} name="This memory" below={renderBelow?.(item)} />
        <Side item={other} name="Other memory" below={renderBelow?.(other)} />
      </div>
    </div>
  );
}
