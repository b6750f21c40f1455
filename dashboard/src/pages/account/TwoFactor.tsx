import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, type ResponseBody } from "~/api/client";
import { invalidate, useGet } from "~/api/hooks";
import { CodeInput } from "~/pages/auth/TwoFactorCode";
import { CodeBlock } from "~/parts/Copy";
import { Loaded } from "~/parts/Page";
import { pluralize } from "~/parts/format";
import { showSuccess } from "~/parts/toast";
import { useMe } from "~/shell/login";
import { Password, Step, withOwnPassword } from "./Step";
import classes from "./account.module.css";

type Setup = ResponseBody<"/api/auth/two-factor/totp", "post">;

function QrCode({ qr }: { qr: Setup["qr"] }) {
  const margin = 4;
  const box = `${-margin} ${-margin} ${qr.size + 2 * margin} ${qr.size + 2 * margin}`;
  return (
    <svg viewBox={box} role="img" aria-label="QR code for your authenticator app" className={classes.qr}>
      <path d={qr.path} shapeRendering="crispEdges" />
    </svg>
  );
}

/** Asks for the password, then for the app's first code. */
function TurnOn({ onCodes, onClose }: { onCodes: (codes: string[]) => void; onClose: () => void }) {
  const [password, setPassword] = useState("");
  const [setup, setSetup] = useState<Setup | null>(null);
  const [code, setCode] = useState("");
  if (setup === null)
    return (
      <Step
        action="Continue"
        onClose={onClose}
        onSubmit={async () =>
          setSetup(
            await withOwnPassword(() => call("post", "/api/auth/two-factor/totp", { body: { password } })),
          )
        }
      >
        <Password value={password} onChange={setPassword} />
      </Step>
    );
  return (
    <Step
      key="confirm"
      action="Turn on"
      onClose={onClose}
      onSubmit={async () =>
        onCodes((await call("post", "/api/auth/two-factor/totp/confirm", { body: { code } })).codes)
      }
    >
      <Text size="sm">Scan this with an authenticator app, or enter the key, then enter the app's code.</Text>
      <QrCode qr={setup.qr} />
      <CodeBlock label="Copy the key">{setup.secret}</CodeBlock>
      <CodeInput value={code} onChange={setCode} />
    </Step>
  );
}

/** Asks for password and code. */
function Prove({
  action,
  about,
  onSubmit,
  onClose,
}: {
  action: string;
  about: string;
  onSubmit: (proof: { password: string; code: string }) => Promise<void>;
  onClose: () => void;
}) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  return (
    <Step
      action={action}
      onClose={onClose}
      onSubmit={() => withOwnPassword(() => onSubmit({ password, code }))}
    >
      <Text size="sm">{about}</Text>
      <Password value={password} onChange={setPassword} />
      <CodeInput value={code} onChange={setCode} />
    </Step>
  );
}

function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  return (
    <Stack>
      <Text size="sm">
        Keep these recovery codes in a safe place. Each signs you in once if you lose your authenticator app.
        They are not shown again.
      </Text>
      <CodeBlock label="Copy the recovery codes">{codes.join("\n")}</CodeBlock>
      <Group justify="flex-end">
        <Button onClick={onClose}>I saved the codes</Button>
      </Group>
    </Stack>
  );
}

type Dialog = "on" | "off" | "codes";

const TITLES: Record<Dialog, string> = {
  on: "Turn on two-factor authentication",
  off: "Turn off two-factor authentication",
  codes: "New recovery codes",
};

/** Two-factor authentication with an authenticator app. */
export function TwoFactor() {
  const me = useMe();
  const cache = useQueryClient();
  const status = useGet("/api/auth/two-factor");
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const refresh = () => invalidate(cache, (path) => path.startsWith("/api/auth/"));
  const close = () => {
    setDialog(null);
    setCodes(null);
  };
  const showCodes = (created: string[]) => {
    setCodes(created);
    void refresh();
  };
  return (
    <Loaded query={status}>
      {({ enabled, recoveryCodes }) => (
        <Stack align="flex-start">
          {enabled ? (
            <>
              <Text size="sm">On. {pluralize(recoveryCodes, "recovery code")} left.</Text>
              <Group>
                <Button variant="default" onClick={() => setDialog("codes")}>
                  New recovery codes
                </Button>
                <Button variant="default" onClick={() => setDialog("off")}>
                  Turn off…
                </Button>
              </Group>
            </>
          ) : (
            <>
              <Text size="sm">
                {me.hasPassword
                  ? "Off. Turn it on to ask for a code from your phone besides your password."
                  : "Set a password first."}
              </Text>
              <Button variant="default" disabled={!me.hasPassword} onClick={() => setDialog("on")}>
                Turn on…
              </Button>
            </>
          )}
          <Modal
            opened={dialog !== null}
            onClose={close}
            title={dialog === null ? "" : TITLES[dialog]}
            closeOnClickOutside={codes === null}
            closeOnEscape={codes === null}
          >
            {codes !== null ? (
              <RecoveryCodes codes={codes} onClose={close} />
            ) : dialog === "on" ? (
              <TurnOn onCodes={showCodes} onClose={close} />
            ) : dialog === "codes" ? (
              <Prove
                action="Create codes"
                about="The old recovery codes stop working."
                onClose={close}
                onSubmit={async (proof) =>
                  showCodes(
                    (await call("post", "/api/auth/two-factor/recovery-codes", { body: proof })).codes,
                  )
                }
              />
            ) : dialog === "off" ? (
              <Prove
                action="Turn off"
                about="From then on, your password is enough to sign in."
                onClose={close}
                onSubmit={async (proof) => {
                  await call("delete", "/api/auth/two-factor", { body: proof });
                  close();
                  await refresh();
                  showSuccess("Two-factor authentication is off.");
                }}
              />
            ) : null}
          </Modal>
        </Stack>
      )}
    </Loaded>
  );
}
