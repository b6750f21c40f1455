import { Button, FileInput, Group, Progress, Stack, Text } from "@mantine/core";
import { IconDownload, IconFileImport } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiError } from "~/api/client";
import { refresh } from "~/api/hooks";
import { Section } from "~/pages/account/Section";
import { amount, count } from "~/parts/Time";
import { showDone, showProblem } from "~/parts/toast";
import { useProject } from "~/shell/project";
import { download, KINDS, upload, type Imported } from "./transfer";
import classes from "./project.module.css";

const MIB = 1024 * 1024;
const mebibytes = (bytes: number) => `${(bytes / MIB).toFixed(1)} MiB`;

/** Hand the browser a file under a name. */
function keep(file: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function Export() {
  const project = useProject();
  const [bytes, setBytes] = useState<number | null>(null);
  const act = async () => {
    setBytes(0);
    try {
      const file = await download(project.id, setBytes);
      const name =
        project.name
          .replace(/[^\p{L}\p{N}]+/gu, "-")
          .replace(/^-+|-+$/g, "")
          .toLowerCase() || "project";
      keep(file, `${name}.jsonl`);
      showDone(`Exported, ${mebibytes(file.size)}.`);
    } catch (problem) {
      showProblem(problem as ApiError);
    }
    setBytes(null);
  };
  return (
    <Group gap="md">
      <Button
        variant="default"
        leftSection={<IconDownload size={16} />}
        loading={bytes !== null}
        onClick={() => void act()}
      >
        Export
      </Button>
      <Text size="sm" c="dimmed" flex="1 1 14rem" aria-live="polite">
        {bytes === null
          ? "Everything in one file: contexts, sessions, events, items with their history. No members, keys or secrets."
          : `${mebibytes(bytes)} so far…`}
      </Text>
    </Group>
  );
}

function Done({ done }: { done: Imported }) {
  return (
    <div role="status">
      <Text size="sm" fw={600}>
        {done.dryRun ? "This is what would happen; nothing was changed." : "Imported."}
      </Text>
      <dl className={classes.counts}>
        {KINDS.map((kind) => (
          <div key={kind} style={{ display: "contents" }}>
            <dt>{kind}</dt>
            <dd style={{ margin: 0 }}>{count(done.created[kind])} new</dd>
            <dd style={{ margin: 0 }}>{count(done.skipped[kind])} there already</dd>
          </div>
        ))}
      </dl>
      {done.redacted > 0 && (
        <Text size="sm" mt={4}>
          {amount(done.redacted, "secret")} {done.dryRun ? "would be" : "were"} taken out.
        </Text>
      )}
    </div>
  );
}

function Import() {
  const project = useProject();
  const cache = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [part, setPart] = useState<number | null>(null);
  const [done, setDone] = useState<Imported | null>(null);
  const act = async (dryRun: boolean) => {
    if (!file) return;
    setPart(0);
    setDone(null);
    try {
      setDone(await upload(project.id, file, dryRun, setPart));
      if (!dryRun) void refresh(cache, (address) => address !== "/api/auth/me");
    } catch (problem) {
      showProblem(problem as ApiError);
    }
    setPart(null);
  };
  return (
    <Stack gap="sm">
      <FileInput
        label="Import"
        description="An export of another project or server. What is here already stays as it is."
        placeholder="Choose a .jsonl file"
        accept=".jsonl,.ndjson,application/x-ndjson"
        leftSection={<IconFileImport size={16} />}
        clearable
        clearButtonProps={{ "aria-label": "Choose no file" }}
        value={file}
        onChange={(chosen) => {
          setFile(chosen);
          setDone(null);
        }}
      />
      {file && (
        <Group>
          <Button loading={part !== null} onClick={() => void act(false)}>
            Import {mebibytes(file.size)}
          </Button>
          <Button variant="default" disabled={part !== null} onClick={() => void act(true)}>
            Try it without changing anything
          </Button>
        </Group>
      )}
      {part !== null && <Progress value={part * 100} aria-label="Import" />}
      {done && <Done done={done} />}
    </Stack>
  );
}

export function Transfer({ mayImport }: { mayImport: boolean }) {
  return (
    <Section
      title={mayImport ? "Export and import" : "Export"}
      about="Your memory is yours: another Loremark takes it back exactly as it is."
    >
      <Stack gap="lg">
        <Export />
        {mayImport && <Import />}
      </Stack>
    </Section>
  );
}
