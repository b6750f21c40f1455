import MarkdownIt, { type Token } from "markdown-it";

const parser = new MarkdownIt({ html: false, linkify: false, typographer: false }).disable(["image"]);
parser.validateLink = () => true;

/** More input than output, so that markup is rarely cut in half. */
const MAX_INPUT_CHARS = 1_000;
const MAX_OUTPUT_CHARS = 400;

function textOf(tokens: Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === "softbreak" || token.type === "hardbreak") return " ";
      if (token.children) return `${textOf(token.children)} `;
      return token.type === "fence" || token.type === "code_block" ? `${token.content} ` : token.content;
    })
    .join("");
}

/** The beginning of a Markdown text on one line, without formatting. Code and literal `_` and `*` are kept as written. */
export function plainText(markdown: string): string {
  const source = markdown.slice(0, MAX_INPUT_CHARS);
  // The parser drops text that is nested too deeply; show the source instead.
  const text = textOf(parser.parse(source, {})).trim() || source;
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_OUTPUT_CHARS);
}
