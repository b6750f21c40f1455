import { Box } from "@mantine/core";
import { diffLines, diffWordsWithSpace } from "diff";
import { useMemo } from "react";
import classes from "./parts.module.css";

type Line = { sign: "+" | "-" | " " | "…"; parts: { text: string; changed: boolean }[] };

/** Unchanged lines that are shown around a change. */
const AROUND = 2;
/** A diff of very long texts would hold the page up. */
const MOST_CHARS = 400_000;

function split(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

const whole = (sign: Line["sign"], text: string): Line => ({ sign, parts: [{ text, changed: false }] });

/** A line beside the one it replaces: the words that differ are marked. */
function beside(before: string, after: string): [Line, Line] {
  const words = diffWordsWithSpace(before, after);
  const side = (sign: "+" | "-", other: "added" | "removed", own: "added" | "removed"): Line => ({
    sign,
    parts: words
      .filter((word) => !word[other])
      .map((word) => ({ text: word.value, changed: Boolean(word[own]) })),
  });
  return [side("-", "added", "removed"), side("+", "removed", "added")];
}

export function diffOf(before: string, after: string): Line[] {
  if (before.length + after.length > MOST_CHARS)
    return [
      ...split(before).map((line) => whole("-", line)),
      ...split(after).map((line) => whole("+", line)),
    ];
  const lines: Line[] = [];
  const chunks = diffLines(before, after);
  for (let place = 0; place < chunks.length; place += 1) {
    const chunk = chunks[place]!;
    const next = chunks[place + 1];
    const own = split(chunk.value);
    if (chunk.removed && next?.added) {
      const other = split(next.value);
      if (own.length === other.length) {
        const pairs = own.map((line, row) => beside(line, other[row]!));
        lines.push(...pairs.map(([gone]) => gone), ...pairs.map(([, come]) => come));
      } else {
        lines.push(...own.map((line) => whole("-", line)), ...other.map((line) => whole("+", line)));
      }
      place += 1;
    } else if (chunk.added || chunk.removed) {
      lines.push(...own.map((line) => whole(chunk.added ? "+" : "-", line)));
    } else if (own.length > 2 * AROUND + 1) {
      const first = place === 0 ? [] : own.slice(0, AROUND);
      const last = place === chunks.length - 1 ? [] : own.slice(-AROUND);
      const skipped = own.length - first.length - last.length;
      lines.push(...first.map((line) => whole(" ", line)));
      lines.push(whole("…", skipped === 1 ? "1 line alike" : `${skipped} lines alike`));
      lines.push(...last.map((line) => whole(" ", line)));
    } else {
      lines.push(...own.map((line) => whole(" ", line)));
    }
  }
  return lines;
}

/** A patch as git writes it. */
function patchOf(patch: string): Line[] {
  return split(patch).map((line) => {
    if (line.startsWith("@@") || line.startsWith("diff ") || line.startsWith("+++") || line.startsWith("---"))
      return whole("…", line);
    if (line.startsWith("+")) return whole("+", line.slice(1));
    if (line.startsWith("-")) return whole("-", line.slice(1));
    return whole(" ", line.startsWith(" ") ? line.slice(1) : line);
  });
}

const LOOK = { "+": classes.added, "-": classes.removed, " ": "", "…": classes.skipped };
const SAID = { "+": "added: ", "-": "removed: ", " ": "", "…": "" };

function Lines({ lines, label }: { lines: Line[]; label: string }) {
  return (
    <Box className={classes.diff} tabIndex={0} role="group" aria-label={label}>
      {lines.map((line, place) => (
        <div key={place} className={`${classes.diffLine} ${LOOK[line.sign]}`}>
          <span className={classes.diffSign} aria-hidden>
            {line.sign}
          </span>
          <span>
            <span className="said">{SAID[line.sign]}</span>
            {line.parts.map((part, at) => (
              <span
                key={at}
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

/** Two texts, and what lies between them. */
export function Diff({
  before,
  after,
  label = "Changes",
}: {
  before: string;
  after: string;
  label?: string;
}) {
  const lines = useMemo(() => diffOf(before, after), [before, after]);
  return <Lines lines={lines} label={label} />;
}

export function Patch({ patch, label = "Patch" }: { patch: string; label?: string }) {
  const lines = useMemo(() => patchOf(patch), [patch]);
  return <Lines lines={lines} label={label} />;
}
