import { Anchor, Text, Title, UnstyledButton } from "@mantine/core";
import { IconArrowUpRight, IconMessageQuestion } from "@tabler/icons-react";
import { useMemo } from "react";
import { Link } from "wouter";
import { useGet } from "~/api/hooks";
import type { Item, ItemType } from "~/api/types";
import { Code } from "~/parts/Copy";
import { Empty, Loaded } from "~/parts/Page";
import classes from "./ask.module.css";

/** How one would ask about a memory of this kind. */
const ASKED: Record<ItemType, string> = {
  decision: "Why was this decided",
  bug: "What went wrong here",
  convention: "Where does this hold",
  architecture: "How does this work",
  implementation: "How does this work",
  codemap: "What lies where",
  todo: "What is left to do about this",
};
const MOST = 4;

/** Questions that have an answer: about the newest memories, of as many kinds as there are. */
function questionsOf(items: Item[]): string[] {
  const first = new Map<ItemType, Item>();
  for (const item of items) if (!first.has(item.type)) first.set(item.type, item);
  const chosen = new Set([...first.values(), ...items]);
  return [...chosen]
    .slice(0, MOST)
    .map((item) => `${ASKED[item.type]}: ${item.title.replace(/[.?!]+$/, "")}?`);
}

export function Start({ projectId, ask }: { projectId: string; ask: (question: string) => void }) {
  const known = useGet("/api/v2/items", { query: { projectId, status: "approved", limit: 30 } });
  const questions = useMemo(() => questionsOf(known.data ?? []), [known.data]);
  return (
    <Loaded of={known}>
      {(items) =>
        items.length === 0 ? (
          <Empty icon={<IconMessageQuestion size={40} />} title="There is nothing to ask about yet">
            <Text size="sm" mb="sm">
              Answers come from approved memories. Connect an agent and let it work, or write the first one
              yourself; then approve it in{" "}
              <Anchor component={Link} href={`/p/${projectId}/review`}>
                Review
              </Anchor>
              .
            </Text>
            <Code label="Copy the command">
              {'loremark save "Deploys need a tag; main goes to staging only"'}
            </Code>
          </Empty>
        ) : (
          <section className={classes.start} aria-labelledby="ask-start">
            <IconMessageQuestion size={36} stroke={1.4} aria-hidden />
            <Title order={2} id="ask-start">
              What would you like to know?
            </Title>
            <Text c="dimmed" size="sm" maw={440}>
              The answer is made of what this project has approved, and shows what it rests on. You might
              begin with:
            </Text>
            <ul className={classes.suggestions}>
              {questions.map((question) => (
                <li key={question}>
                  <UnstyledButton className={classes.suggestion} onClick={() => ask(question)}>
                    <span>{question}</span>
                    <IconArrowUpRight size={16} aria-hidden />
                  </UnstyledButton>
                </li>
              ))}
            </ul>
          </section>
        )
      }
    </Loaded>
  );
}
