import { ActionIcon, Text, Textarea } from "@mantine/core";
import { IconArrowUp, IconPlayerStopFilled } from "@tabler/icons-react";
import { useState, type KeyboardEvent, type RefObject } from "react";
import { Key } from "~/parts/keys";
import { count } from "~/parts/Time";
import classes from "./ask.module.css";

const LEAST_CHARS = 3;
const MOST_CHARS = 4000;
const NEAR_THE_END = 3600;

interface Given {
  place: RefObject<HTMLTextAreaElement | null>;
  busy: boolean;
  follows: boolean;
  send: (question: string) => void;
  stop: () => void;
}

export function Composer({ place, busy, follows, send, stop }: Given) {
  const [typed, setTyped] = useState("");
  const question = typed.trim();
  const ready = !busy && question.length >= LEAST_CHARS && question.length <= MOST_CHARS;
  const submit = () => {
    if (!ready) return;
    setTyped("");
    send(question);
  };
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
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
    <ActionIcon size={36} radius="xl" color="stone" variant="filled" onClick={stop} aria-label="Stop">
      <IconPlayerStopFilled size={16} />
    </ActionIcon>
  ) : (
    <ActionIcon
      size={36}
      radius="xl"
      variant="filled"
      type="submit"
      aria-label="Ask"
      className={ready ? undefined : classes.unready}
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
        ref={place}
        aria-label="Your question"
        placeholder={follows ? "Ask on, or about something else" : "Ask what the memory knows"}
        autosize
        minRows={1}
        maxRows={8}
        size="md"
        radius="lg"
        maxLength={MOST_CHARS}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={press}
        rightSection={button}
        rightSectionWidth={52}
        classNames={{ input: classes.input, section: classes.send }}
      />
      <Text size="xs" c="dimmed" className={classes.keys} component="div">
        {busy ? (
          <span>
            <Key>Esc</Key> stops
          </span>
        ) : (
          <span>
            <Key>Enter</Key> asks, <Key>Shift Enter</Key> begins a new line
          </span>
        )}
        {typed.length > NEAR_THE_END && (
          <span>
            {count(typed.length)} of {count(MOST_CHARS)} characters
          </span>
        )}
      </Text>
    </form>
  );
}
