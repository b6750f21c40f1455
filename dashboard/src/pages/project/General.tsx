import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { SettingsSection } from "~/parts/SettingsSection";
import { CopyIconButton } from "~/parts/Copy";
import { showSuccess } from "~/parts/toast";
import { useProject } from "~/shell/project";
import { useUpdateProject } from "./useUpdateProject";
import { VisibilityChoice } from "./NewProject";

/** Name, description and visibility, saved together. */
export function General({ disabled }: { disabled: boolean }) {
  const project = useProject();
  const [name, setName] = useState(project.name);
  const [description, setDescription] = useState(project.description);
  const [visibility, setVisibility] = useState(project.visibility);
  const update = useUpdateProject();
  const changed =
    name.trim() !== project.name || description !== project.description || visibility !== project.visibility;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    update.mutate(
      { name: name.trim(), description, visibility },
      { onSuccess: () => showSuccess("Project saved.") },
    );
  };
  const reset = () => {
    setName(project.name);
    setDescription(project.description);
    setVisibility(project.visibility);
  };
  return (
    <SettingsSection title="General" about="Name, description and visibility.">
      <form onSubmit={onSubmit}>
        <Stack>
          <TextInput
            label="Name"
            required
            withAsterisk={false}
            maxLength={100}
            disabled={disabled}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label="Description"
            autosize
            minRows={2}
            maxLength={500}
            disabled={disabled}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <VisibilityChoice value={visibility} onChange={setVisibility} disabled={disabled} />
          <TextInput
            label="Project ID"
            description="Used by loremark init and the API."
            readOnly
            value={project.id}
            rightSection={<CopyIconButton text={project.id} label="Copy project ID" />}
          />
          {!disabled && (
            <Group>
              <Button type="submit" disabled={!changed || name.trim() === ""} loading={update.isPending}>
                Save
              </Button>
              {changed && (
                <Button variant="subtle" onClick={reset}>
                  Discard
                </Button>
              )}
            </Group>
          )}
        </Stack>
      </form>
    </SettingsSection>
  );
}
