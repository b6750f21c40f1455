import { ActionIcon, Text, Textarea } from "@mantine/core";
import { IconArrowUp, IconPlayerStopFilled } from "@tabler/icons-react";
import { useState, type KeyboardEvent, type RefObject } from "react";
import { Kbd } from "~/parts/shortcuts";
import { formatNumber } from "~/parts/format";
import classes from "./ask.module.css";

const MIN_CHARS = 3;
const MAX_CHARS = 4000;
const SHOW_COUNT_FROM = 3600;

interface Props {
  inputRef: RefObject<HTMLTextAreaElement | null>;
  busy: boolean;
  isFollowUp: boolean;
  send: (question: string) => void;
  stop: () => void;
}

export function Composer({ inputRef, busy, isFollowUp, send, stop }: Props) {
  const [typed, setTyped] = useState("");
  const question = typed.trim();
  const ready = !busy && question.length >= MIN_CHARS && question.length <= MAX_CHARS;
  const submit = () => {
    if (!ready) return;
    setTyped("");
    send(question);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      submit();
    } else if (event.key === "Escape" && busy) {
      event.preventDefault();
      stop();
    }
  };
  const button = busy ? (
    <ActionIcon size={36} radius="xl" color="slate" variant="filled" onClick={stop} aria-label="Stop">
      <IconPlayerStopFilled size={16} />
    </ActionIcon>
  ) : (
    <ActionIcon
      size={36}
      radius="xl"
      variant="filled"
      type="submit"
      aria-label="Ask"
      className={ready ? undefined : classes.disabled}
      aria-disabled={!ready}
    >
      <IconArrowUp size={18} />
    </ActionIcon>
  );
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Textarea
        ref={inputRef}
        aria-label="Your question"
        placeholder={isFollowUp ? "Ask a follow-up question" : "Ask a question about this project"}
        autosize
        minRows={1}
        maxRows={8}
        size="md"
        radius="lg"
        maxLength={MAX_CHARS}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        rightSection={button}
        rightSectionWidth={52}
        classNames={{ input: classes.input, section: classes.send }}
      />
      <Text size="xs" c="dimmed" className={classes.keys} component="div">
        {busy ? (
          <span>
            <Kbd>Esc</Kbd> stop
          </span>
        ) : (
          <span>
            <Kbd>Enter</Kbd> ask · <Kbd>Shift Enter</Kbd> new line
          </span>
        )}
        {typed.length > SHOW_COUNT_FROM && (
          <span>
            {formatNumber(typed.length)} of {formatNumber(MAX_CHARS)} characters
          </span>
        )}
      </Text>
    </form>
  );
}
