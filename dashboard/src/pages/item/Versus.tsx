import { Group, Text } from "@mantine/core";
import { IconArrowsSplit2 } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Item } from "~/api/types";
import { Markdown } from "~/parts/Markdown";
import { Confidence, StatusTag, TypeTag } from "~/parts/Tag";
import { Time } from "~/parts/Time";
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
          <Time at={item.createdAt} />
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
  why: string | null;
  below?: (item: Item) => ReactNode;
}

/** Two that cannot both be true, beside each other. */
export function Versus({ item, other, why, below }: Props) {
  return (
    <div>
      {why && (
        <p className={classes.clashWhy}>
          <IconArrowsSplit2 size={18} aria-hidden />
          <span>This one {why}.</span>
        </p>
      )}
      <div className={classes.versus}>
        <Side item={item} name="This one" below={below?.(item)} />
        <Side item={other} name="The other one" below={below?.(other)} />
      </div>
    </div>
  );
}
