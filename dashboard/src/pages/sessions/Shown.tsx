import { Button, Text } from "@mantine/core";
import { IconFile } from "@tabler/icons-react";
import { createContext, useContext, useState, type ReactNode } from "react";
import { Patch } from "~/parts/Diff";
import { Markdown } from "~/parts/Markdown";
import { amount, count } from "~/parts/Time";
import { bytes, isLarge, type Payload, type Words } from "./payload";
import classes from "./events.module.css";

/** How a card fetches the large texts of its event. */
export const Whole = createContext<{ fetch: () => void; busy: boolean }>({
  fetch: () => undefined,
  busy: false,
});

const MOST_LINES = 300;
const MOST_CHARS = 20_000;
const MOST_FILES = 12;

function Fetch({ size, what }: { size: number; what: string }) {
  const { fetch, busy } = useContext(Whole);
  return (
    <Button size="compact-sm" variant="default" onClick={fetch} loading={busy}>
      Show the {what} ({bytes(size)})
    </Button>
  );
}

/** What is long is cut, and shown whole to whoever wants that. */
function useCut(text: string, at: number): [string, ReactNode] {
  const [all, setAll] = useState(false);
  if (all || text.length <= at) return [text, null];
  const more = (
    <Button size="compact-sm" variant="default" mt="xs" onClick={() => setAll(true)}>
      Show all {count(text.length)} characters
    </Button>
  );
  return [text.slice(0, at), more];
}

export function Prose({ words }: { words: Words }) {
  const text = isLarge(words) ? "" : words;
  const [shown, more] = useCut(text, MOST_CHARS);
  if (isLarge(words)) return <Fetch size={words.size} what="text" />;
  return (
    <>
      <Markdown text={shown} />
      {more}
    </>
  );
}

export function Change({ patch, label }: { patch: Words; label: string }) {
  const text = isLarge(patch) ? "" : patch;
  const lines = text.split("\n");
  const [all, setAll] = useState(false);
  if (isLarge(patch)) return <Fetch size={patch.size} what="diff" />;
  const cut = !all && lines.length > MOST_LINES;
  return (
    <>
      <Patch patch={cut ? lines.slice(0, MOST_LINES).join("\n") : text} label={label} />
      {cut && (
        <Button size="compact-sm" variant="default" mt="xs" onClick={() => setAll(true)}>
          Show all {amount(lines.length, "line")}
        </Button>
      )}
    </>
  );
}

/** Something folded away that is only made when it is opened. */
export function Fold({
  title,
  open = false,
  children,
}: {
  title: ReactNode;
  open?: boolean;
  children: () => ReactNode;
}) {
  const [opened, setOpened] = useState(open);
  return (
    <details className={classes.fold} open={opened} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary>{title}</summary>
      {opened && children()}
    </details>
  );
}

export function Files({ files }: { files: string[] }) {
  const [all, setAll] = useState(false);
  if (files.length === 0) return null;
  const shown = all ? files : files.slice(0, MOST_FILES);
  return (
    <ul className={classes.files} aria-label="Files">
      {shown.map((file, place) => (
        <li key={`${place} ${file}`}>
          <IconFile size={13} aria-hidden />
          <span>{file}</span>
        </li>
      ))}
      {shown.length < files.length && (
        <li>
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setAll(true)}>
            and {amount(files.length - shown.length, "more file")}
          </Button>
        </li>
      )}
    </ul>
  );
}

/** A name and what stands behind it, in a row of such. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Text size="sm" component="div" className={classes.fact}>
      <span className={classes.factName}>{name}</span> {children}
    </Text>
  );
}

/** Fields that no view knows, as they came. */
export function Rest({ payload, name = "Other fields" }: { payload: Payload; name?: string }) {
  const names = Object.keys(payload);
  if (names.length === 0) return null;
  return (
    <Fold title={`${name}: ${names.slice(0, 6).join(", ")}${names.length > 6 ? " …" : ""}`}>
      {() => <Raw text={JSON.stringify(payload, null, 2)} />}
    </Fold>
  );
}

function Raw({ text }: { text: string }) {
  const [shown, more] = useCut(text, MOST_CHARS);
  return (
    <>
      <pre className={classes.raw} tabIndex={0}>
        {shown}
      </pre>
      {more}
    </>
  );
}
