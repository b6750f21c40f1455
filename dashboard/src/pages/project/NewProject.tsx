import { Anchor, Button, Group, Modal, Radio, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { Link } from "wouter";
import type { Answer, ApiError } from "~/api/client";
import { useSend } from "~/api/hooks";

export type MadeProject = Answer<"/api/projects", "post">;
type Visibility = "private" | "public";

export const VISIBILITY: Record<Visibility, { name: string; about: string }> = {
  private: { name: "Private", about: "Its members, and the owner and admins of the team." },
  public: { name: "Open to the team", about: "Everybody in the team reads it; only its members write." },
};

export function VisibilityChoice({
  value,
  onChange,
  disabled,
}: {
  value: Visibility;
  onChange: (value: Visibility) => void;
  disabled?: boolean;
}) {
  return (
    <Radio.Group
      label="Who sees it"
      value={value}
      onChange={(chosen) => onChange(chosen === "public" ? "public" : "private")}
    >
      <Stack gap="xs" mt={6}>
        {Object.entries(VISIBILITY).map(([name, words]) => (
          <Radio key={name} value={name} label={words.name} description={words.about} disabled={disabled} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

/** Why no project was made; a limit of the plan has a way out. */
export function NotMade({ problem }: { problem: ApiError | null }) {
  if (problem === null) return null;
  return (
    <Text size="sm" c="var(--mantine-color-error)" role="alert">
      {problem.message}
      {problem.message.startsWith("Plan limit") && (
        <>
          {". "}
          <Anchor component={Link} href="/billing" inherit underline="always">
            Look at the plan
          </Anchor>
        </>
      )}
    </Text>
  );
}

interface FormProps {
  onMade: (project: MadeProject) => void;
  onCancel?: () => void;
  /** Only the name: the rest can be said later. */
  short?: boolean;
}

export function NewProjectForm({ onMade, onCancel, short }: FormProps) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [visibility, setVisibility] = useState<Visibility>("private");
  const make = useSend("post", "/api/projects", {
    quiet: true,
    touches: ["/api/projects", "/api/v2/overview"],
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A form in a dialog is, to React, still inside the page that opened it.
    event.stopPropagation();
    make.mutate({ body: { name: name.trim(), description, visibility } }, { onSuccess: onMade });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="As the team calls it; often that of the repository."
          placeholder="Checkout service"
          required
          withAsterisk={false}
          data-autofocus
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {!short && (
          <>
            <Textarea
              label="Description"
              autosize
              minRows={2}
              maxLength={500}
              value={description}
              onChange={(event) => setDescription(event.currentTarget.value)}
            />
            <VisibilityChoice value={visibility} onChange={setVisibility} />
          </>
        )}
        <NotMade problem={make.error} />
        <Group justify={short ? "flex-start" : "flex-end"}>
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={make.isPending} disabled={name.trim() === ""}>
            Make the project
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The dialog, for any page that offers it. Only for those who manage the team. */
export function NewProject({
  opened,
  onClose,
  onMade,
}: {
  opened: boolean;
  onClose: () => void;
  onMade: (project: MadeProject) => void;
}) {
  return (
    <Modal opened={opened} onClose={onClose} title="New project">
      <NewProjectForm onMade={onMade} onCancel={onClose} />
    </Modal>
  );
}
