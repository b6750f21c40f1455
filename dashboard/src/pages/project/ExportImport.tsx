import { Button, Checkbox, FileInput, Group, Progress, Stack, Text } from "@mantine/core";
import { IconDownload, IconFileImport } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiError } from "~/api/client";
import { invalidate } from "~/api/hooks";
import { SettingsSection } from "~/parts/SettingsSection";
import { pluralize, formatNumber } from "~/parts/format";
import { showSuccess, showError } from "~/parts/toast";
import { useProject } from "~/shell/project";
import { downloadExport, KINDS, KIND_NAMES, uploadImport, type ImportResult } from "./transfer";
import classes from "./project.module.css";

const MIB = 1024 * 1024;
const formatMebibytes = (bytes: number) => `${(bytes / MIB).toFixed(1)} MiB`;

/** Saves a file through the browser. */
function saveFile(file: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function Export() {
  const project = useProject();
  const [bytes, setBytes] = useState<number | null>(null);
  const exportProject = async () => {
    setBytes(0);
    try {
      const file = await downloadExport(project.id, setBytes);
      const name =
        project.name
          .replace(/[^\p{L}\p{N}]+/gu, "-")
          .replace(/^-+|-+$/g, "")
          .toLowerCase() || "project";
      saveFile(file, `${name}.jsonl`);
      showSuccess(`Exported ${formatMebibytes(file.size)}.`);
    } catch (error) {
      showError(error as ApiError);
    }
    setBytes(null);
  };
  return (
    <Group gap="md">
      <Button
        variant="default"
        leftSection={<IconDownload size={16} />}
        loading={bytes !== null}
        onClick={() => void exportProject()}
      >
        Export
      </Button>
      <Text size="sm" c="dimmed" flex="1 1 14rem" aria-live="polite">
        {bytes === null
          ? "Contexts, sessions, events, and memories with their history in one file. Excludes conversations, webhooks, members, API keys and secrets."
          : `${formatMebibytes(bytes)} downloaded…`}
      </Text>
    </Group>
  );
}

function ImportSummary({ result }: { result: ImportResult }) {
  return (
    <div role="status">
      <Text size="sm" fw={600}>
        {result.dryRun ? "Dry run: nothing was changed." : "Import complete."}
      </Text>
      <dl className={classes.counts}>
        {KINDS.map((kind) => (
          <div key={kind} style={{ display: "contents" }}>
            <dt>{KIND_NAMES[kind]}</dt>
            <dd style={{ margin: 0 }}>{formatNumber(result.created[kind])} new</dd>
            <dd style={{ margin: 0 }}>{formatNumber(result.skipped[kind])} skipped</dd>
          </div>
        ))}
      </dl>
      {result.redacted > 0 && (
        <Text size="sm" mt={4}>
          {pluralize(result.redacted, "secret")} {result.dryRun ? "would be" : "were"} redacted.
        </Text>
      )}
    </div>
  );
}

function Import() {
  const project = useProject();
  const cache = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [keepReviews, setKeepReviews] = useState(false);
  const [progress, setProgress] = useState<number | null>(null);
  const [result, setResult] = useState<ImportResult | null>(null);
  const importFile = async (dryRun: boolean) => {
    if (!file) return;
    setProgress(0);
    setResult(null);
    try {
      setResult(await uploadImport(project.id, file, dryRun, keepReviews, setProgress));
      if (!dryRun) void invalidate(cache, (path) => path !== "/api/auth/me");
    } catch (error) {
      showError(error as ApiError);
    }
    setProgress(null);
  };
  return (
    <Stack gap="sm">
      <FileInput
        label="Import"
        description="A file exported from another project or server. Existing data is not changed."
        placeholder="Choose a .jsonl file"
        accept=".jsonl,.ndjson,application/x-ndjson"
        leftSection={<IconFileImport size={16} />}
        clearable
        clearButtonProps={{ "aria-label": "Clear file" }}
        value={file}
        onChange={(selected) => {
          setFile(selected);
          setResult(null);
        }}
      />
      {file && (
        <Checkbox
          label="Keep reviews"
          description="Only for an export that you trust. Otherwise nothing in it counts as reviewed."
          checked={keepReviews}
          onChange={(event) => setKeepReviews(event.currentTarget.checked)}
        />
      )}
      {file && (
        <Group>
          <Button loading={progress !== null} onClick={() => void importFile(false)}>
            Import {formatMebibytes(file.size)}
          </Button>
          <Button variant="default" disabled={progress !== null} onClick={() => void importFile(true)}>
            Dry run
          </Button>
        </Group>
      )}
      {progress !== null && <Progress value={progress * 100} aria-label="Import progress" />}
      {result && <ImportSummary result={result} />}
    </Stack>
  );
}

export function ExportImport({ canImport }: { canImport: boolean }) {
  return (
    <SettingsSection
      title={canImport ? "Export and import" : "Export"}
      about="Move a project to another Loremark server, or keep a backup."
    >
      <Stack gap="lg">
        <Export />
        {canImport && <Import />}
      </Stack>
    </SettingsSection>
  );
}
