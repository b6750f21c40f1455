import { Anchor, Button, Group, Modal, Radio, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { Link } from "wouter";
import type { ResponseBody, ApiError } from "~/api/client";
import { useSend } from "~/api/hooks";

export type CreatedProject = ResponseBody<"/api/projects", "post">;
type Visibility = "private" | "public";

export const VISIBILITY: Record<Visibility, { name: string; about: string }> = {
  private: { name: "Private", about: "Visible to project members and team admins." },
  public: {
    name: "Open to the team",
    about: "Everyone on the team can read it; only project members can write.",
  },
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
      label="Visibility"
      value={value}
      onChange={(selected) => onChange(selected === "public" ? "public" : "private")}
    >
      <Stack gap="xs" mt={6}>
        {Object.entries(VISIBILITY).map(([name, option]) => (
          <Radio key={name} value={name} label={option.name} description={option.about} disabled={disabled} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

/** Why the project could not be created, with a link to the plan if its limit is reached. */
export function CreateError({ error }: { error: ApiError | null }) {
  if (error === null) return null;
  return (
    <Text size="sm" c="var(--mantine-color-error)" role="alert">
      {error.message}
      {error.message.startsWith("Plan limit") && (
        <>
          {". "}
          <Anchor component={Link} href="/billing" inherit underline="always">
            View plans
          </Anchor>
        </>
      )}
    </Text>
  );
}

interface FormProps {
  onCreated: (project: CreatedProject) => void;
  onCancel?: () => void;
  /** Ask only for the name; the rest can be set later. */
  short?: boolean;
}

export function NewProjectForm({ onCreated, onCancel, short }: FormProps) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [visibility, setVisibility] = useState<Visibility>("private");
  const create = useSend("post", "/api/projects", {
    quiet: true,
    invalidates: ["/api/projects", "/api/v2/overview"],
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    // React events bubble out of a dialog into the form that opened it.
    event.stopPropagation();
    create.mutate({ body: { name: name.trim(), description, visibility } }, { onSuccess: onCreated });
  };
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        <TextInput
          label="Name"
          description="Usually the name of the repository."
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
        <CreateError error={create.error} />
        <Group justify={short ? "flex-start" : "flex-end"}>
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={create.isPending} disabled={name.trim() === ""}>
            Create project
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A dialog for creating a project. Only team admins may open it. */
export function NewProject({
  opened,
  onClose,
  onCreated,
}: {
  opened: boolean;
  onClose: () => void;
  onCreated: (project: CreatedProject) => void;
}) {
  return (
    <Modal opened={opened} onClose={onClose} title="New project">
      <NewProjectForm onCreated={onCreated} onCancel={onClose} />
    </Modal>
  );
}
