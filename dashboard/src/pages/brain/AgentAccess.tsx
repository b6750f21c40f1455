import { Stack, Text } from "@mantine/core";
import { CodeBlock } from "~/parts/Copy";
import type { BrainQuery } from "./Brain";
import classes from "./brain.module.css";

/** Quotes text for a POSIX shell. */
const shellQuote = (text: string) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

function curlCommand({ projectId, tokenBudget, branch }: BrainQuery): string {
  const params = new URLSearchParams({
    projectId,
    tokenBudget: String(tokenBudget),
    ...(branch ? { branch } : {}),
  });
  const url = `${window.location.origin}/api/v2/brain?${params.toString()}&format=markdown`;
  return [
    "read -rs KEY   # paste an API key, then press Enter",
    `curl -s --etag-save brain.etag --etag-compare brain.etag -o brain.md \\`,
    `  -H "Authorization: Bearer $KEY" \\`,
    `  ${shellQuote(url)}`,
  ].join("\n");
}

/** Shows how an agent, the CLI and HTTP clients load the document. */
export function AgentAccess({ query }: { query: BrainQuery }) {
  const options = `--budget ${query.tokenBudget}${query.branch ? ` --branch ${shellQuote(query.branch)}` : ""}`;
  return (
    <details className={classes.collapsible}>
      <summary>Load this document in an agent</summary>
      <Stack gap="md" mt="md">
        <div>
          <Text size="sm" mb={6}>
            Agents set up with <code>loremark install</code> are briefed from this memory automatically. To
            print the whole document, run this in a linked folder:
          </Text>
          <CodeBlock label="Copy command">{`loremark brain ${options}`}</CodeBlock>
        </div>
        <div>
          <Text size="sm" mb={6}>
            As an MCP resource (6,000 tokens):
          </Text>
          <CodeBlock label="Copy resource URI">{`loremark://projects/${query.projectId}/brain`}</CodeBlock>
        </div>
        <div>
          <Text size="sm" mb={6}>
            Over HTTP. With the ETag, an unchanged document is not downloaded again (the server responds with
            304), and the model can keep its prompt cache:
          </Text>
          <CodeBlock label="Copy curl command">{curlCommand(query)}</CodeBlock>
        </div>
      </Stack>
    </details>
  );
}
