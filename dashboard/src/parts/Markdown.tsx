import { Button } from "@mantine/core";
import MarkdownIt, { type Token } from "markdown-it";
import { createElement, Fragment, memo, useMemo, useState, type ReactNode } from "react";
import { formatNumber } from "./format";
import { safeLink } from "./safeLink";
import classes from "./parts.module.css";

export { safeLink };

/**
 * Markdown from users, agents and repositories is untrusted. It is parsed into tokens, which become elements from an
 * allowlist; no text reaches the browser as markup. Images are not loaded: a request would tell a third party who is
 * reading what.
 */
const parser = new MarkdownIt({ html: false, linkify: false, typographer: false }).disable(["image"]);
parser.validateLink = () => true;

/** Parsed per chunk: adversarial input takes time quadratic in its length. */
const CHUNK_CHARS = 40_000;
/** Text beyond these limits is shown as plain text. */
const MAX_DEPTH = 40;
const MAX_TOKENS = 20_000;
parser.set({ maxNesting: MAX_DEPTH });

const ALLOWED = new Set(
  "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s hr br table thead tbody tr th td".split(" "),
);

interface OpenElement {
  tag: string;
  attributes: Record<string, unknown>;
  children: ReactNode[];
}

function renderLeaf(token: Token, key: string): ReactNode {
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

function openElement(token: Token): OpenElement {
  if (token.tag === "a") {
    const href = safeLink(String(token.attrGet("href") ?? ""));
    const external = href !== null && !href.startsWith("/") && !href.startsWith("#");
    const attributes = external ? { href, target: "_blank", rel: "noopener noreferrer nofollow" } : { href };
    return href === null
      ? { tag: "span", attributes: {}, children: [] }
      : { tag: "a", attributes, children: [] };
  }
  const start = token.tag === "ol" ? Number(token.attrGet("start") ?? 1) : 1;
  const tag = ALLOWED.has(token.tag) ? token.tag : "span";
  return { tag, attributes: start > 1 ? { start } : {}, children: [] };
}

function nest(tokens: Token[], prefix: string): ReactNode[] {
  const root: OpenElement = { tag: "", attributes: {}, children: [] };
  const stack: OpenElement[] = [root];
  tokens.forEach((token, index) => {
    const key = `${prefix}.${index}`;
    const into = stack.at(-1)!;
    if (token.nesting === 1) {
      // Too deep for a browser: flatten into the enclosing element.
      if (stack.length > MAX_DEPTH) stack.push(into);
      else stack.push(token.hidden ? { tag: "", attributes: {}, children: [] } : openElement(token));
    } else if (token.nesting === -1) {
      stack.pop();
      const parent = stack.at(-1) ?? root;
      // Children as an array: a call takes only so many arguments.
      if (into !== parent)
        parent.children.push(createElement(into.tag || Fragment, { key, ...into.attributes }, into.children));
    } else {
      into.children.push(renderLeaf(token, key));
    }
  });
  return root.children;
}

/** True if the parser dropped deeply nested text or produced more elements than a page can hold. */
function exceedsLimits(tokens: Token[]): boolean {
  let total = tokens.length;
  for (const token of tokens) {
    if (token.level >= MAX_DEPTH - 1) return true;
    total += token.children?.length ?? 0;
  }
  return total > MAX_TOKENS;
}

const PLAIN_TEXT = { whiteSpace: "pre-wrap", overflowWrap: "anywhere" } as const;

const Chunk = memo(function Chunk({ text }: { text: string }) {
  const content = useMemo(() => {
    const tokens = parser.parse(text, {});
    return exceedsLimits(tokens) ? <div style={PLAIN_TEXT}>{text}</div> : nest(tokens, "m");
  }, [text]);
  return <div className={classes.markdown}>{content}</div>;
});

/** Where the chunk starting here ends: at a paragraph or line break if possible. */
function chunkEnd(text: string, start: number): number {
  const limit = start + CHUNK_CHARS;
  if (text.length <= limit) return text.length;
  for (const mark of ["\n\n", "\n"]) {
    const found = text.lastIndexOf(mark, limit);
    if (found > start + CHUNK_CHARS / 2) return found + mark.length;
  }
  return limit;
}

/** Renders untrusted Markdown. Long text is rendered in chunks, on request. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const [chunkCount, setChunkCount] = useState(1);
  const chunks: string[] = [];
  let end = 0;
  while (end < text.length && chunks.length < chunkCount) {
    const next = chunkEnd(text, end);
    chunks.push(text.slice(end, next));
    end = next;
  }
  return (
    <>
      {chunks.map((chunk, index) => (
        <Chunk key={index} text={chunk} />
      ))}
      {end < text.length && (
        <Button
          variant="default"
          size="compact-sm"
          mt="sm"
          onClick={() => setChunkCount((count) => count + 1)}
        >
          Show more ({formatNumber(text.length - end)} more characters)
        </Button>
      )}
    </>
  );
});
