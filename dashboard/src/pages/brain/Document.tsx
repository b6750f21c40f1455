import { Button, Group, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useClipboard, useDebouncedValue } from "@mantine/hooks";
import { IconCheck, IconCopy, IconDownload } from "@tabler/icons-react";
import { useDeferredValue, useMemo, useState } from "react";
import { useGet } from "~/api/hooks";
import { Markdown } from "~/parts/Markdown";
import { Loaded } from "~/parts/Page";
import { pluralize, formatNumber } from "~/parts/format";
import { useProject } from "~/shell/project";
import type { BrainQuery } from "./Brain";
import classes from "./tabs.module.css";

/** Characters rendered before "Show more" is needed. */
const INITIAL_CHARS = 60_000;

function download(text: string, name: string) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/markdown;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

const fileName = (name: string) =>
  `${
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 60) || "project"
  }-brain.md`;

/** Cuts the text at the last paragraph break within the limit. */
function truncateAtSection(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const at = text.lastIndexOf("\n\n", limit);
  return text.slice(0, at > 0 ? at : limit);
}

function DocumentText({ text, raw }: { text: string; raw: boolean }) {
  const [maxChars, setMaxChars] = useState(INITIAL_CHARS);
  const shown = useMemo(() => truncateAtSection(text, maxChars), [text, maxChars]);
  const deferred = useDeferredValue(shown);
  return (
    <>
      <div className={classes.document} role="region" aria-label="Document" tabIndex={0}>
        {raw ? <pre className={classes.raw}>{text}</pre> : <Markdown text={deferred} />}
      </div>
      {!raw && shown.length < text.length && (
        <Button variant="default" onClick={() => setMaxChars(maxChars * 4)}>
          Show more ({formatNumber(Math.round((shown.length / text.length) * 100))}% shown)
        </Button>
      )}
    </>
  );
}

/** The document exactly as agents receive it. */
export function Document({ query }: { query: BrainQuery }) {
  const project = useProject();
  const [files, setFiles] = useState("");
  const [debouncedFiles] = useDebouncedValue(files.trim(), 500);
  const [view, setView] = useState("rendered");
  const clipboard = useClipboard({ timeout: 1500 });
  const brain = useGet(
    "/api/v2/brain",
    { query: { ...query, ...(debouncedFiles ? { files: debouncedFiles } : {}) } },
    { keepPrevious: true },
  );
  return (
    <Stack gap="sm">
      <TextInput
        label="Files"
        description="Comma-separated paths. Items about these files come first. This does not affect the Included tab."
        inputWrapperOrder={["label", "input", "description"]}
        placeholder="src/checkout/totals.py, src/basket/stock.py"
        maxLength={4000}
        value={files}
        onChange={(event) => setFiles(event.currentTarget.value)}
      />
      <Loaded query={brain}>
        {({ markdown, metadata }) => (
          <>
            <Group justify="space-between" gap="xs">
              <SegmentedControl
                aria-label="View"
                value={view}
                onChange={setView}
                data={[
                  { value: "rendered", label: "Rendered" },
                  { value: "raw", label: "Raw" },
                ]}
              />
              <Text size="sm" c="dimmed" flex="1 1 12rem">
                {pluralize(metadata.tokenEstimate, "token")} of {formatNumber(metadata.budget)}
                {metadata.omitted.count > 0 ? `, ${formatNumber(metadata.omitted.count)} left out` : ""}
              </Text>
              <Group gap="xs">
                <Button
                  variant="default"
                  leftSection={clipboard.copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
                  onClick={() => clipboard.copy(markdown)}
                >
                  {clipboard.copied ? "Copied" : "Copy"}
                </Button>
                <Button
                  variant="default"
                  leftSection={<IconDownload size={16} />}
                  onClick={() => download(markdown, fileName(project.name))}
                >
                  Download
                </Button>
              </Group>
            </Group>
            <DocumentText text={markdown} raw={view === "raw"} />
          </>
        )}
      </Loaded>
    </Stack>
  );
}
