import { Button, Text } from "@mantine/core";
import { IconFile } from "@tabler/icons-react";
import { createContext, useContext, useState, type ReactNode } from "react";
import { Patch } from "~/parts/Diff";
import { Markdown } from "~/parts/Markdown";
import { pluralize, formatNumber } from "~/parts/format";
import { formatBytes, isBlobRef, type Payload, type TextValue } from "./payload";
import classes from "./events.module.css";

/** Lets nested fields load the large texts of their event. */
export const LargeText = createContext<{ fetch: () => void; busy: boolean }>({
  fetch: () => undefined,
  busy: false,
});

const MAX_LINES = 300;
const MAX_CHARS = 20_000;
const MAX_FILES = 12;

function LoadButton({ size, what }: { size: number; what: string }) {
  const { fetch, busy } = useContext(LargeText);
  return (
    <Button size="compact-sm" variant="default" onClick={fetch} loading={busy}>
      Show {what} ({formatBytes(size)})
    </Button>
  );
}

/** Truncates long text and returns a button that shows all of it. */
function useTruncated(text: string, at: number): [string, ReactNode] {
  const [all, setAll] = useState(false);
  if (all || text.length <= at) return [text, null];
  const more = (
    <Button size="compact-sm" variant="default" mt="xs" onClick={() => setAll(true)}>
      Show all {formatNumber(text.length)} characters
    </Button>
  );
  return [text.slice(0, at), more];
}

export function Prose({ value }: { value: TextValue }) {
  const text = isBlobRef(value) ? "" : value;
  const [shown, more] = useTruncated(text, MAX_CHARS);
  if (isBlobRef(value)) return <LoadButton size={value.size} what="text" />;
  return (
    <>
      <Markdown text={shown} />
      {more}
    </>
  );
}

export function PatchView({ patch, label }: { patch: TextValue; label: string }) {
  const text = isBlobRef(patch) ? "" : patch;
  const lines = text.split("\n");
  const [all, setAll] = useState(false);
  if (isBlobRef(patch)) return <LoadButton size={patch.size} what="diff" />;
  const truncated = !all && lines.length > MAX_LINES;
  return (
    <>
      <Patch patch={truncated ? lines.slice(0, MAX_LINES).join("\n") : text} label={label} />
      {truncated && (
        <Button size="compact-sm" variant="default" mt="xs" onClick={() => setAll(true)}>
          Show all {pluralize(lines.length, "line")}
        </Button>
      )}
    </>
  );
}

/** A `<details>` element that renders its content only when open. */
export function Collapsible({
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
    <details
      className={classes.collapsible}
      open={opened}
      onToggle={(event) => setOpened(event.currentTarget.open)}
    >
      <summary>{title}</summary>
      {opened && children()}
    </details>
  );
}

export function Files({ files }: { files: string[] }) {
  const [all, setAll] = useState(false);
  if (files.length === 0) return null;
  const shown = all ? files : files.slice(0, MAX_FILES);
  return (
    <ul className={classes.files} aria-label="Files">
      {shown.map((file, index) => (
        <li key={`${index} ${file}`}>
          <IconFile size={13} aria-hidden />
          <span>{file}</span>
        </li>
      ))}
      {shown.length < files.length && (
        <li>
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setAll(true)}>
            {pluralize(files.length - shown.length, "more file")}
          </Button>
        </li>
      )}
    </ul>
  );
}

/** A labeled value. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Text size="sm" component="div" className={classes.fact}>
      <span className={classes.factName}>{name}</span> {children}
    </Text>
  );
}

/** Fields without a dedicated view, as raw JSON. */
export function OtherFields({ payload, name = "Other fields" }: { payload: Payload; name?: string }) {
  const names = Object.keys(payload);
  if (names.length === 0) return null;
  return (
    <Collapsible title={`${name}: ${names.slice(0, 6).join(", ")}${names.length > 6 ? " …" : ""}`}>
      {() => <RawJson text={JSON.stringify(payload, null, 2)} />}
    </Collapsible>
  );
}

function RawJson({ text }: { text: string }) {
  const [shown, more] = useTruncated(text, MAX_CHARS);
  return (
    <>
      <pre className={classes.raw} tabIndex={0}>
        {shown}
      </pre>
      {more}
    </>
  );
}
