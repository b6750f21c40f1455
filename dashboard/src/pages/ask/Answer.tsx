import { Button, Group, Loader, Text } from "@mantine/core";
import { IconNotebook, IconPencilPlus, IconRefresh } from "@tabler/icons-react";
import { memo, useMemo, type ReactNode } from "react";
import type { Source } from "~/api/types";
import { Copy } from "~/parts/Copy";
import { Markdown } from "~/parts/Markdown";
import classes from "./ask.module.css";
import { cite, withoutTail } from "./citations";
import { Sources } from "./Sources";

export const Question = memo(function Question({ text, by }: { text: string; by?: string }) {
  return (
    <article className={classes.question} aria-label="Question">
      {by && (
        <Text size="xs" c="dimmed" mb={2}>
          {by}
        </Text>
      )}
      {text}
    </article>
  );
});

interface Given {
  id: string;
  projectId: string;
  text: string;
  sources: Source[];
  model?: string | null;
  /** Whether the words have all been said; a stopped answer's have not. */
  whole?: boolean;
  writeDown?: () => void;
  askAgain?: () => void;
  children?: ReactNode;
}

/** Nothing is cited: what to do about it. */
function Uncovered({ writeDown }: { writeDown?: () => void }) {
  return (
    <div className={classes.uncovered} role="note">
      <IconNotebook size={20} aria-hidden />
      <div>
        <Text size="sm" fw={600}>
          The memory does not cover this
        </Text>
        <Text size="sm" c="dimmed">
          No memory is cited here. If you know the answer, write it down: the next who asks will find it.
        </Text>
        {writeDown && (
          <Button
            mt="xs"
            size="xs"
            variant="default"
            leftSection={<IconPencilPlus size={14} />}
            onClick={writeDown}
          >
            Write it down
          </Button>
        )}
      </div>
    </div>
  );
}

export const Answer = memo(function Answer(given: Given) {
  const { id, projectId, text, sources, whole = true } = given;
  const anchor = `source-${id}`;
  const cited = useMemo(() => cite(text, sources, anchor), [text, sources, anchor]);
  const covered = sources.some((source) => source.used);
  return (
    <article className={classes.answer} aria-label="Answer">
      <Markdown text={cited.text} />
      {whole && !covered && <Uncovered writeDown={given.writeDown} />}
      <Sources projectId={projectId} sources={sources} numbers={cited.numbers} anchor={anchor} />
      {given.children}
      <Group gap="xs" mt="xs" className={classes.below}>
        <Copy text={text} label="Copy the answer" />
        {given.askAgain && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            leftSection={<IconRefresh size={14} />}
            onClick={given.askAgain}
          >
            Ask again
          </Button>
        )}
        {given.model && (
          <Text size="xs" c="dimmed">
            by {given.model}
          </Text>
        )}
      </Group>
    </article>
  );
});

/** An answer as it comes. Readers of screens hear the whole of it at the end, and not every word. */
export function Answering({ text }: { text: string }) {
  return (
    <article className={classes.answer} aria-label="Answer on its way" aria-busy>
      {text ? (
        <Markdown text={withoutTail(text)} />
      ) : (
        <Text size="sm" c="dimmed">
          Looking through the memory
        </Text>
      )}
      <Loader type="dots" size="xs" mt="xs" aria-label="The answer is on its way" />
    </article>
  );
}
