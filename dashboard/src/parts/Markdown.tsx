import { Button } from "@mantine/core";
import MarkdownIt, { type Token } from "markdown-it";
import { createElement, Fragment, memo, useMemo, useState, type ReactNode } from "react";
import { count } from "./Time";
import { safeLink } from "./link";
import classes from "./parts.module.css";

export { safeLink };

/**
 * Markdown of people, agents and repositories: hostile, until shown otherwise. It is read into tokens, and those become
 * elements of a short list; no text is ever handed to the browser as markup. Pictures are not loaded: asking for one
 * would tell a stranger who reads what.
 */
const reader = new MarkdownIt({ html: false, linkify: false, typographer: false }).disable(["image"]);
reader.validateLink = () => true;

/** So much is read at once: a text made to be slow takes time by the square of its length. */
const PIECE_CHARS = 40_000;
/** Whoever means to be understood stays below these; what does not is shown as it is written. */
const MOST_LEVELS = 40;
const MOST_TOKENS = 20_000;
reader.set({ maxNesting: MOST_LEVELS });

const ALLOWED = new Set(
  "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s hr br table thead tbody tr th td".split(" "),
);

interface Open {
  tag: string;
  attributes: Record<string, unknown>;
  children: ReactNode[];
}

function leaf(token: Token, key: string): ReactNode {
  switch (token.type) {
    case "inline":
      return createElement(Fragment, { key }, nest(token.children ?? [], key));
    case "code_inline":
      return <code key={key}>{token.content}</code>;
    case "fence":
    case "code_block":
      return (
        <pre key={key} tabIndex={0}>
          <code>{token.content}</code>
        </pre>
      );
    case "softbreak":
      return "\n";
    case "hardbreak":
      return <br key={key} />;
    case "hr":
      return <hr key={key} />;
    default:
      return token.content;
  }
}

function opened(token: Token): Open {
  if (token.tag === "a") {
    const href = safeLink(String(token.attrGet("href") ?? ""));
    const outside = href !== null && !href.startsWith("/") && !href.startsWith("#");
    const attributes = outside ? { href, target: "_blank", rel: "noopener noreferrer nofollow" } : { href };
    return href === null
      ? { tag: "span", attributes: {}, children: [] }
      : { tag: "a", attributes, children: [] };
  }
  const start = token.tag === "ol" ? Number(token.attrGet("start") ?? 1) : 1;
  const tag = ALLOWED.has(token.tag) ? token.tag : "span";
  return { tag, attributes: start > 1 ? { start } : {}, children: [] };
}

function nest(tokens: Token[], prefix: string): ReactNode[] {
  const root: Open = { tag: "", attributes: {}, children: [] };
  const stack: Open[] = [root];
  tokens.forEach((token, place) => {
    const key = `${prefix}.${place}`;
    const into = stack.at(-1)!;
    if (token.nesting === 1) {
      // Too deep for a browser: what is inside goes into what is around it.
      if (stack.length > MOST_LEVELS) stack.push(into);
      else stack.push(token.hidden ? { tag: "", attributes: {}, children: [] } : opened(token));
    } else if (token.nesting === -1) {
      stack.pop();
      const around = stack.at(-1) ?? root;
      // An array, not arguments: of those a call takes only so many.
      if (into !== around)
        around.children.push(createElement(into.tag || Fragment, { key, ...into.attributes }, into.children));
    } else {
      into.children.push(leaf(token, key));
    }
  });
  return root.children;
}

/** The reader leaves out what lies too deep, and a page cannot hold too much: such a text is told to be plain. */
function isUnreadable(tokens: Token[]): boolean {
  let all = tokens.length;
  for (const token of tokens) {
    if (token.level >= MOST_LEVELS - 1) return true;
    all += token.children?.length ?? 0;
  }
  return all > MOST_TOKENS;
}

const AS_WRITTEN = { whiteSpace: "pre-wrap", overflowWrap: "anywhere" } as const;

const Piece = memo(function Piece({ text }: { text: string }) {
  const content = useMemo(() => {
    const tokens = reader.parse(text, {});
    return isUnreadable(tokens) ? <div style={AS_WRITTEN}>{text}</div> : nest(tokens, "m");
  }, [text]);
  return <div className={classes.markdown}>{content}</div>;
});

/** Where the piece that starts here ends: between two paragraphs or lines if there are any, else anywhere. */
function endOfPiece(text: string, start: number): number {
  const most = start + PIECE_CHARS;
  if (text.length <= most) return text.length;
  for (const mark of ["\n\n", "\n"]) {
    const found = text.lastIndexOf(mark, most);
    if (found > start + PIECE_CHARS / 2) return found + mark.length;
  }
  return most;
}

/** A long text comes piece by piece, as far as somebody reads. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const [wanted, setWanted] = useState(1);
  const pieces: string[] = [];
  let end = 0;
  while (end < text.length && pieces.length < wanted) {
    const next = endOfPiece(text, end);
    pieces.push(text.slice(end, next));
    end = next;
  }
  return (
    <>
      {pieces.map((piece, place) => (
        <Piece key={place} text={piece} />
      ))}
      {end < text.length && (
        <Button variant="default" size="compact-sm" mt="sm" onClick={() => setWanted((some) => some + 1)}>
          Read on ({count(text.length - end)} more characters)
        </Button>
      )}
    </>
  );
});
