import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { ApiError } from "~/api/client";
import { invalidate, useGet, useSend } from "~/api/hooks";
import { CodeInput, isCodeRequired } from "~/pages/auth/TwoFactorCode";
import { createPasskey, passkeyProblem } from "~/pages/auth/passkeys";
import { ConfirmDialog } from "~/parts/ConfirmDialog";
import { Loaded } from "~/parts/Page";
import { RelativeTime } from "~/parts/format";
import classes from "~/parts/settingsSection.module.css";
import { showSuccess } from "~/parts/toast";
import { useMe } from "~/shell/login";
import { Password, Step, withOwnPassword } from "./Step";

interface Passkey {
  id: string;
  name: string;
  createdAt: string;
  lastUsed: string | null;
}

const PATH = "/api/auth/passkeys";

function NameInput({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  return (
    <TextInput
      label="Name"
      description="To tell it apart, such as “Work laptop”."
      required
      withAsterisk={false}
      maxLength={100}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function Add({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [needsCode, setNeedsCode] = useState(false);
  const add = async () => {
    try {
      await withOwnPassword(() => createPasskey(name.trim(), { password, code: needsCode ? code : null }));
      onDone();
    } catch (error) {
      if (!(error instanceof ApiError) || !isCodeRequired(error)) throw error;
      setNeedsCode(true);
    }
  };
  return (
    <Step action="Create passkey" onClose={onClose} onSubmit={add}>
      <NameInput value={name} onChange={setName} />
      <Password value={password} onChange={setPassword} />
      {needsCode && <CodeInput value={code} onChange={setCode} />}
    </Step>
  );
}

function Rename({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const [name, setName] = useState(passkey.name);
  const rename = useSend("patch", "/api/auth/passkeys/{id}", { invalidates: [PATH] });
  return (
    <Step
      action="Rename"
      onClose={onClose}
      onSubmit={async () => {
        await rename.mutateAsync({ path: { id: passkey.id }, body: { name: name.trim() } });
        onClose();
      }}
    >
      <NameInput value={name} onChange={setName} />
    </Step>
  );
}

/** Passkeys: signing in with the fingerprint, face or PIN of a device. */
export function Passkeys() {
  const me = useMe();
  const cache = useQueryClient();
  const passkeys = useGet(PATH);
  const remove = useSend("delete", "/api/auth/passkeys/{id}", { invalidates: [PATH] });
  const [adding, setAdding] = useState(false);
  const [renamed, setRenamed] = useState<Passkey | null>(null);
  const [removed, setRemoved] = useState<Passkey | null>(null);
  const problem = me.hasPassword ? passkeyProblem() : "Set a password first.";
  const done = () => {
    setAdding(false);
    void invalidate(cache, (path) => path === PATH);
    showSuccess("Passkey added.");
  };
  return (
    <Loaded query={passkeys}>
      {(all) => (
        <Stack align="stretch">
          {all.length > 0 && (
            <ul className={classes.rows} aria-label="Passkeys">
              {all.map((passkey) => (
                <li key={passkey.id} className={classes.row}>
                  <div>
                    <Text fw={600} truncate>
                      {passkey.name}
                    </Text>
                    <Text size="xs" c="dimmed">
                      {"added "}
                      <RelativeTime at={passkey.createdAt} />
                      {passkey.lastUsed && (
                        <>
                          {" · last used "}
                          <RelativeTime at={passkey.lastUsed} />
                        </>
                      )}
                    </Text>
                  </div>
                  <Group gap="xs" wrap="nowrap">
                    <Button
                      variant="default"
                      size="xs"
                      h={36}
                      aria-label={`Rename ${passkey.name}`}
                      onClick={() => setRenamed(passkey)}
                    >
                      Rename
                    </Button>
                    <Button
                      variant="default"
                      size="xs"
                      h={36}
                      aria-label={`Remove ${passkey.name}`}
                      onClick={() => setRemoved(passkey)}
                    >
                      Remove
                    </Button>
                  </Group>
                </li>
              ))}
            </ul>
          )}
          {problem && <Text size="sm">{problem}</Text>}
          <Group>
            <Button variant="default" disabled={problem !== null} onClick={() => setAdding(true)}>
              Add a passkey…
            </Button>
          </Group>
          <Modal opened={adding} onClose={() => setAdding(false)} title="Add a passkey">
            <Add onDone={done} onClose={() => setAdding(false)} />
          </Modal>
          <Modal opened={renamed !== null} onClose={() => setRenamed(null)} title="Rename passkey">
            {renamed && <Rename key={renamed.id} passkey={renamed} onClose={() => setRenamed(null)} />}
          </Modal>
          <ConfirmDialog
            opened={removed !== null}
            title={`Remove ${removed?.name ?? ""}?`}
            confirmLabel="Remove passkey"
            busy={remove.isPending}
            onConfirm={() =>
              removed && remove.mutate({ path: { id: removed.id } }, { onSettled: () => setRemoved(null) })
            }
            onClose={() => setRemoved(null)}
          >
            It no longer signs you in. Also delete it on the device.
          </ConfirmDialog>
        </Stack>
      )}
    </Loaded>
  );
}
