import { Button, Group, Loader, Text } from "@mantine/core";
import { IconNotebook, IconPencilPlus, IconRefresh } from "@tabler/icons-react";
import { memo, useMemo, type ReactNode } from "react";
import type { Source } from "~/api/types";
import { CopyIconButton } from "~/parts/Copy";
import { Markdown } from "~/parts/Markdown";
import { modelName } from "~/parts/names";
import classes from "./ask.module.css";
import { linkCitations, stripSourceList } from "./citations";
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

interface AnswerProps {
  id: string;
  projectId: string;
  text: string;
  sources: Source[];
  model?: string | null;
  /** False for an answer that was stopped halfway. */
  complete?: boolean;
  saveMemory?: () => void;
  askAgain?: () => void;
  children?: ReactNode;
}

/** Shown when an answer cites no sources. */
function NotInMemory({ saveMemory }: { saveMemory?: () => void }) {
  return (
    <div className={classes.notInMemory} role="note">
      <IconNotebook size={20} aria-hidden />
      <div>
        <Text size="sm" fw={600}>
          Not in memory yet
        </Text>
        <Text size="sm" c="dimmed">
          This answer cites no sources. If you know the answer, save it so the next person can find it.
        </Text>
        {saveMemory && (
          <Button
            mt="xs"
            size="xs"
            variant="default"
            leftSection={<IconPencilPlus size={14} />}
            onClick={saveMemory}
          >
            Save memory
          </Button>
        )}
      </div>
    </div>
  );
}

export const Answer = memo(function Answer(props: AnswerProps) {
  const { id, projectId, text, sources, complete = true } = props;
  const anchor = `source-${id}`;
  const linked = useMemo(() => linkCitations(text, sources, anchor), [text, sources, anchor]);
  const cited = sources.some((source) => source.used);
  return (
    <article className={classes.answer} aria-label="Answer">
      <Markdown text={linked.text} />
      {complete && !cited && <NotInMemory saveMemory={props.saveMemory} />}
      <Sources projectId={projectId} sources={sources} numbers={linked.numbers} anchor={anchor} />
      {props.children}
      <Group gap="xs" mt="xs" className={classes.footer}>
        <CopyIconButton text={text} label="Copy answer" />
        {props.askAgain && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            leftSection={<IconRefresh size={14} />}
            onClick={props.askAgain}
          >
            Ask again
          </Button>
        )}
        {props.model && (
          <Text size="xs" c="dimmed">
            {modelName(props.model)}
          </Text>
        )}
      </Group>
    </article>
  );
});

/** An answer while it streams. Screen readers get the full text once it is complete (see Conversation). */
export function StreamingAnswer({ text }: { text: string }) {
  return (
    <article className={classes.answer} aria-label="Answer in progress" aria-busy>
      {text ? (
        <Markdown text={stripSourceList(text)} />
      ) : (
        <Text size="sm" c="dimmed">
          Searching memory…
        </Text>
      )}
      <Loader type="dots" size="xs" mt="xs" role="status" aria-label="Answering" />
    </article>
  );
}
