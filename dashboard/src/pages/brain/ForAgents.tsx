import { Stack, Text } from "@mantine/core";
import { Code } from "~/parts/Copy";
import type { Asked } from "./Brain";
import classes from "./brain.module.css";

/** In single quotes, whatever it holds: for a POSIX shell. */
const quoted = (text: string) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

function curl({ projectId, tokenBudget, branch }: Asked): string {
  const query = new URLSearchParams({
    projectId,
    tokenBudget: String(tokenBudget),
    ...(branch ? { branch } : {}),
  });
  const url = `${window.location.origin}/api/v2/brain?${query.toString()}&format=markdown`;
  return [
    "read -rs KEY   # paste a key, then press Enter",
    `curl -s --etag-save brain.etag --etag-compare brain.etag -o brain.md \\`,
    `  -H "Authorization: Bearer $KEY" \\`,
    `  ${quoted(url)}`,
  ].join("\n");
}

/** The same document, where an agent is. */
export function ForAgents({ asked }: { asked: Asked }) {
  const options = `--budget ${asked.tokenBudget}${asked.branch ? ` --branch ${quoted(asked.branch)}` : ""}`;
  return (
    <details className={classes.fold}>
      <summary>How an agent gets it</summary>
      <Stack gap="md" mt="md">
        <div>
          <Text size="sm" mb={6}>
            By itself: an agent that was set up with <code>loremark install</code> is given it at the start of
            each session. On the command line, in a linked folder:
          </Text>
          <Code label="Copy the command">{`loremark brain ${options}`}</Code>
        </div>
        <div>
          <Text size="sm" mb={6}>
            As a resource of the MCP server (at 6,000 tokens):
          </Text>
          <Code label="Copy the address of the resource">{`loremark://projects/${asked.projectId}/brain`}</Code>
        </div>
        <div>
          <Text size="sm" mb={6}>
            By HTTP. With the tag of the last answer an unchanged document is answered by 304 and not sent
            again, and a model keeps its prompt cache:
          </Text>
          <Code label="Copy the curl command">{curl(asked)}</Code>
        </div>
      </Stack>
    </details>
  );
}
