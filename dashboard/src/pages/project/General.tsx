import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { Section } from "~/pages/account/Section";
import { Copy } from "~/parts/Copy";
import { showDone } from "~/parts/toast";
import { useProject } from "~/shell/project";
import { useChange } from "./changing";
import { VisibilityChoice } from "./NewProject";

/** Name, description and who sees it; saved together. */
export function General({ disabled }: { disabled: boolean }) {
  const project = useProject();
  const [name, setName] = useState(project.name);
  const [description, setDescription] = useState(project.description);
  const [visibility, setVisibility] = useState(project.visibility);
  const change = useChange();
  const changed =
    name.trim() !== project.name || description !== project.description || visibility !== project.visibility;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ name: name.trim(), description, visibility }, { onSuccess: () => showDone("Saved.") });
  };
  const reset = () => {
    setName(project.name);
    setDescription(project.description);
    setVisibility(project.visibility);
  };
  return (
    <Section title="General" about="What the project is called, and who sees it.">
      <form onSubmit={submit}>
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
            label="Project id"
            description="What loremark init and the API call it."
            readOnly
            value={project.id}
            rightSection={<Copy text={project.id} label="Copy the project id" />}
          />
          {!disabled && (
            <Group>
              <Button type="submit" disabled={!changed || name.trim() === ""} loading={change.isPending}>
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
    </Section>
  );
}
