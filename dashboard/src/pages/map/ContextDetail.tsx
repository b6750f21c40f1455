import { ActionIcon, Button, Group, Menu, Stack, Tabs, Text, Title, Tooltip } from "@mantine/core";
import {
  IconArchive,
  IconArrowsMove,
  IconCheck,
  IconDots,
  IconFoldDown,
  IconPencil,
  IconPlus,
  IconTrash,
} from "@tabler/icons-react";
import { CopyIconButton } from "~/parts/Copy";
import { Markdown } from "~/parts/Markdown";
import { Loaded } from "~/parts/Page";
import { StatusTag, Tag } from "~/parts/Tag";
import { pluralize, RelativeTime } from "~/parts/format";
import { useProject } from "~/shell/project";
import {
  countEntries,
  useContextActions,
  useCanChange,
  useContextDetail,
  type LoadedContext,
} from "./contexts";
import { ContextMemories } from "./ContextMemories";
import { describeHealth, type Node } from "./contextTree";
import { Revisions } from "./Revisions";
import classes from "./detail.module.css";

export type Dialog = "move" | "delete" | "new";
export type View = "text" | "memories" | "history";

interface Props {
  node: Node;
  view: View;
  setView: (view: View) => void;
  edit: (read: LoadedContext) => void;
  open: (dialog: Dialog) => void;
  canAdd: boolean;
}

function MoreMenu({
  node,
  read,
  open,
  compact,
}: Pick<Props, "node" | "open"> & { read?: LoadedContext; compact: () => void }) {
  const entries = read ? countEntries(read.context.content) : 0;
  return (
    <Menu position="bottom-end" width={280}>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={`More actions for ${node.context.name}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconArrowsMove size={16} />} onClick={() => open("move")}>
          Move to…
        </Menu.Item>
        <Menu.Item leftSection={<IconFoldDown size={16} />} disabled={entries < 2} onClick={compact}>
          Compact
          <Text size="xs" c={entries < 2 ? undefined : "dimmed"}>
            {entries < 2 ? "Needs at least two entries (## headings)" : `Merges ${entries} entries into one`}
          </Text>
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconTrash size={16} />} onClick={() => open("delete")}>
          Delete…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Actions({
  node,
  read,
  edit,
  open,
  canAdd,
}: Omit<Props, "view" | "setView"> & { read?: LoadedContext }) {
  const { context } = node;
  const actions = useContextActions(context);
  const canChange = useCanChange()(context);
  const archived = useProject().status === "archived";
  return (
    <Group gap="xs">
      {canChange && context.state !== "approved" && (
        <Button leftSection={<IconCheck size={16} />} onClick={() => void actions.decide("approve")}>
          Approve
        </Button>
      )}
      {canChange && (
        <Button
          variant={context.state === "approved" ? "filled" : "default"}
          leftSection={<IconPencil size={16} />}
          disabled={!read}
          onClick={() => read && edit(read)}
        >
          Edit
        </Button>
      )}
      {canAdd && (
        <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => open("new")}>
          Add child
        </Button>
      )}
      {canChange && context.state !== "deprecated" && (
        <Tooltip label="Keeps the context but hides it from agents">
          <Button
            variant="default"
            leftSection={<IconArchive size={16} />}
            onClick={() => void actions.decide("deprecate")}
          >
            Deprecate
          </Button>
        </Tooltip>
      )}
      {canChange && <MoreMenu node={node} read={read} open={open} compact={() => void actions.compact()} />}
      {!canChange && (
        <Text size="sm" c="dimmed">
          {context.projectId === null
            ? "Shared with the whole team. Only team owners and admins can change it."
            : archived
              ? "This project is archived and read-only."
              : "You have read-only access."}
        </Text>
      )}
    </Group>
  );
}

/** The selected context: header, actions and tabs. */
export function ContextDetail(props: Props) {
  const { node, view, setView } = props;
  const { context } = node;
  const read = useContextDetail(context.id);
  const description = read.data?.context.description;
  const itemCount = context.items.approved + context.items.draft;
  return (
    <section aria-labelledby="context-name" className={classes.detail}>
      <Stack gap="md">
        <div>
          <Group gap="xs" mb={4}>
            <Title order={2} id="context-name" className={classes.name}>
              {context.name}
            </Title>
            <StatusTag status={context.state} />
            {context.projectId === null && (
              <Tag tone="info" title="Shared with all of the team's projects">
                whole team
              </Tag>
            )}
            {context.contextType !== "memory" && <Tag tone="soft">{context.contextType}</Tag>}
            <Tag title="Layer of the brain this context belongs to">brain layer {context.tier}</Tag>
          </Group>
          {description && <Text mb={4}>{description}</Text>}
          <Group gap={4} className={classes.facts}>
            <span className={classes.key}>{context.schemaKey}</span>
            <CopyIconButton text={context.schemaKey} label="Copy schema key" />
            <span>
              · {pluralize(context.tokens, "token")} · {describeHealth(context)} · updated{" "}
              <RelativeTime at={context.updatedAt} />
            </span>
          </Group>
        </div>
        <Actions {...props} read={read.data} />
        <Tabs value={view} onChange={(chosen) => chosen && setView(chosen as View)} keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="text">Text</Tabs.Tab>
            <Tabs.Tab value="memories">Memories{itemCount > 0 ? ` (${itemCount})` : ""}</Tabs.Tab>
            <Tabs.Tab value="history">History</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="text" pt="md">
            <Loaded query={read}>
              {({ context }) =>
                context.content.trim() ? (
                  <Markdown text={context.content} />
                ) : (
                  <Text c="dimmed" size="sm">
                    No text yet. Describe what applies to everything under {context.schemaKey}. Agents read it
                    once it is approved.
                  </Text>
                )
              }
            </Loaded>
          </Tabs.Panel>
          <Tabs.Panel value="memories" pt="md">
            <ContextMemories context={context} />
          </Tabs.Panel>
          <Tabs.Panel value="history" pt="md">
            <Revisions key={context.id} node={node} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </section>
  );
}
