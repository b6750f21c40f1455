import { Anchor, Text, Title, UnstyledButton } from "@mantine/core";
import { IconArrowUpRight, IconMessageQuestion } from "@tabler/icons-react";
import { useMemo } from "react";
import { Link } from "wouter";
import { useGet } from "~/api/hooks";
import type { Item, ItemType } from "~/api/types";
import { CodeBlock } from "~/parts/Copy";
import { EmptyState, Loaded } from "~/parts/Page";
import classes from "./ask.module.css";

/** How to phrase a suggested question about a memory of each type. */
const QUESTION_PREFIX: Record<ItemType, string> = {
  decision: "Why was this decided",
  bug: "What was the bug",
  convention: "Where does this apply",
  architecture: "How does this work",
  implementation: "How does this work",
  codemap: "Where is the code for this",
  todo: "What is left to do",
};
const MAX_SUGGESTIONS = 4;

/** Questions about the newest memories, covering as many types as possible. */
function suggestQuestions(items: Item[]): string[] {
  const newestByType = new Map<ItemType, Item>();
  for (const item of items) if (!newestByType.has(item.type)) newestByType.set(item.type, item);
  const chosen = new Set([...newestByType.values(), ...items]);
  return [...chosen]
    .slice(0, MAX_SUGGESTIONS)
    .map((item) => `${QUESTION_PREFIX[item.type]}: ${item.title.replace(/[.?!]+$/, "")}?`);
}

export function StartScreen({ projectId, ask }: { projectId: string; ask: (question: string) => void }) {
  const approved = useGet("/api/v2/items", { query: { projectId, status: "approved", limit: 30 } });
  const questions = useMemo(() => suggestQuestions(approved.data ?? []), [approved.data]);
  return (
    <Loaded query={approved}>
      {(items) =>
        items.length === 0 ? (
          <EmptyState icon={<IconMessageQuestion size={40} />} title="No approved memories yet">
            <Text size="sm" mb="sm">
              Answers come mainly from approved memories. Approve drafts in{" "}
              <Anchor component={Link} href={`/p/${projectId}/review`}>
                Review
              </Anchor>
              , connect an agent, or save a memory yourself:
            </Text>
            <CodeBlock label="Copy command">
              {'loremark save "Deploys need a tag; main goes to staging only"'}
            </CodeBlock>
          </EmptyState>
        ) : (
          <section className={classes.start} aria-labelledby="ask-start">
            <IconMessageQuestion size={36} stroke={1.4} aria-hidden />
            <Title order={2} id="ask-start">
              What would you like to know?
            </Title>
            <Text c="dimmed" size="sm" maw={440}>
              Answers are based on this project's memory and list their sources. For example:
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
