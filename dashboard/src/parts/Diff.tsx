import { Box } from "@mantine/core";
import { diffLines, diffWordsWithSpace } from "diff";
import { useMemo } from "react";
import classes from "./parts.module.css";

type Line = { sign: "+" | "-" | " " | "…"; parts: { text: string; changed: boolean }[] };

/** Unchanged lines shown around a change. */
const CONTEXT_LINES = 2;
/** Above this, diffing would block the page; all lines are shown as removed and added instead. */
const MAX_CHARS = 400_000;

function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

const plainLine = (sign: Line["sign"], text: string): Line => ({ sign, parts: [{ text, changed: false }] });

/** A removed line and its replacement, with the changed words marked. */
function diffPair(before: string, after: string): [Line, Line] {
  const words = diffWordsWithSpace(before, after);
  const side = (sign: "+" | "-", other: "added" | "removed", own: "added" | "removed"): Line => ({
    sign,
    parts: words
      .filter((word) => !word[other])
      .map((word) => ({ text: word.value, changed: Boolean(word[own]) })),
  });
  return [side("-", "added", "removed"), side("+", "removed", "added")];
}

export function diffText(before: string, after: string): Line[] {
  if (before.length + after.length > MAX_CHARS)
    return [
      ...splitLines(before).map((line) => plainLine("-", line)),
      ...splitLines(after).map((line) => plainLine("+", line)),
    ];
  const lines: Line[] = [];
  const chunks = diffLines(before, after);
  for (let index = 0; index < chunks.length; index += 1) {
    const chunk = chunks[index]!;
    const next = chunks[index + 1];
    const own = splitLines(chunk.value);
    if (chunk.removed && next?.added) {
      const other = splitLines(next.value);
      if (own.length === other.length) {
        const pairs = own.map((line, row) => diffPair(line, other[row]!));
        lines.push(...pairs.map(([removed]) => removed), ...pairs.map(([, added]) => added));
      } else {
        lines.push(...own.map((line) => plainLine("-", line)), ...other.map((line) => plainLine("+", line)));
      }
      index += 1;
    } else if (chunk.added || chunk.removed) {
      lines.push(...own.map((line) => plainLine(chunk.added ? "+" : "-", line)));
    } else if (own.length > 2 * CONTEXT_LINES + 1) {
      const first = index === 0 ? [] : own.slice(0, CONTEXT_LINES);
      const last = index === chunks.length - 1 ? [] : own.slice(-CONTEXT_LINES);
      const skipped = own.length - first.length - last.length;
      lines.push(...first.map((line) => plainLine(" ", line)));
      lines.push(plainLine("…", skipped === 1 ? "1 unchanged line" : `${skipped} unchanged lines`));
      lines.push(...last.map((line) => plainLine(" ", line)));
    } else {
      lines.push(...own.map((line) => plainLine(" ", line)));
    }
  }
  return lines;
}

/** Parses a git patch. */
function parsePatch(patch: string): Line[] {
  return splitLines(patch).map((line) => {
    if (line.startsWith("@@") || line.startsWith("diff ") || line.startsWith("+++") || line.startsWith("---"))
      return plainLine("…", line);
    if (line.startsWith("+")) return plainLine("+", line.slice(1));
    if (line.startsWith("-")) return plainLine("-", line.slice(1));
    return plainLine(" ", line.startsWith(" ") ? line.slice(1) : line);
  });
}

const LINE_CLASS = { "+": classes.added, "-": classes.removed, " ": "", "…": classes.skipped };
const SPOKEN_PREFIX = { "+": "added: ", "-": "removed: ", " ": "", "…": "" };

function Lines({ lines, label }: { lines: Line[]; label: string }) {
  return (
    <Box className={classes.diff} tabIndex={0} role="group" aria-label={label}>
      {lines.map((line, index) => (
        <div key={index} className={`${classes.diffLine} ${LINE_CLASS[line.sign]}`}>
          <span className={classes.diffSign} aria-hidden>
            {line.sign}
          </span>
          <span>
            <span className="visually-hidden">{SPOKEN_PREFIX[line.sign]}</span>
            {line.parts.map((part, index) => (
              <span
                key={index}
                className={
                  part.changed ? (line.sign === "+" ? classes.addedWord : classes.removedWord) : undefined
                }
              >
                {part.text}
              </span>
            ))}
          </span>
        </div>
      ))}
    </Box>
  );
}

/** A line-by-line diff of two texts. */
export function Diff({
  before,
  after,
  label = "Changes",
}: {
  before: string;
  after: string;
  label?: string;
}) {
  const lines = useMemo(() => diffText(before, after), [before, after]);
  return <Lines lines={lines} label={label} />;
}

export function Patch({ patch, label = "Patch" }: { patch: string; label?: string }) {
  const lines = useMemo(() => parsePatch(patch), [patch]);
  return <Lines lines={lines} label={label} />;
}
