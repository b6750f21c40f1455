import { Button, Group, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useClipboard, useDebouncedValue } from "@mantine/hooks";
import { IconCheck, IconCopy, IconDownload } from "@tabler/icons-react";
import { useDeferredValue, useMemo, useState } from "react";
import { useGet } from "~/api/hooks";
import { Markdown } from "~/parts/Markdown";
import { Loaded } from "~/parts/Page";
import { amount, count } from "~/parts/Time";
import { useProject } from "~/shell/project";
import type { Asked } from "./Brain";
import classes from "./shown.module.css";

/** So much is made into a page at once; the rest when somebody wants it. */
const AT_ONCE = 60_000;

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

/** The beginning up to an end of a section. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const at = text.lastIndexOf("\n\n", most);
  return text.slice(0, at > 0 ? at : most);
}

function Written({ text, raw }: { text: string; raw: boolean }) {
  const [most, setMost] = useState(AT_ONCE);
  const shown = useMemo(() => cut(text, most), [text, most]);
  const calm = useDeferredValue(shown);
  return (
    <>
      <div className={classes.document} role="region" aria-label="The document" tabIndex={0}>
        {raw ? <pre className={classes.raw}>{text}</pre> : <Markdown text={calm} />}
      </div>
      {!raw && shown.length < text.length && (
        <Button variant="default" onClick={() => setMost(most * 4)}>
          Show more ({count(Math.round((shown.length / text.length) * 100))}% is shown)
        </Button>
      )}
    </>
  );
}

/** The document itself, as an agent gets it. */
export function Document({ asked }: { asked: Asked }) {
  const project = useProject();
  const [files, setFiles] = useState("");
  const [settled] = useDebouncedValue(files.trim(), 500);
  const [view, setView] = useState("rendered");
  const clipboard = useClipboard({ timeout: 1500 });
  const brain = useGet(
    "/api/v2/brain",
    { query: { ...asked, ...(settled ? { files: settled } : {}) } },
    { keep: true },
  );
  return (
    <Stack gap="sm">
      <TextInput
        label="For these files"
        description="Paths with commas between them. What belongs to them comes first; the lists of what enters are without them."
        inputWrapperOrder={["label", "input", "description"]}
        placeholder="src/checkout/totals.py, src/basket/stock.py"
        maxLength={4000}
        value={files}
        onChange={(event) => setFiles(event.currentTarget.value)}
      />
      <Loaded of={brain}>
        {({ markdown, metadata }) => (
          <>
            <Group justify="space-between" gap="xs">
              <SegmentedControl
                aria-label="How it is shown"
                value={view}
                onChange={setView}
                data={[
                  { value: "rendered", label: "Rendered" },
                  { value: "raw", label: "Raw" },
                ]}
              />
              <Text size="sm" c="dimmed" flex="1 1 12rem">
                {amount(metadata.tokenEstimate, "token")} of {count(metadata.budget)}
                {metadata.omitted.count > 0 ? `, ${count(metadata.omitted.count)} left out` : ""}
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
            <Written text={markdown} raw={view === "raw"} />
          </>
        )}
      </Loaded>
    </Stack>
  );
}
