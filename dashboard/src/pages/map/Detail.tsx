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
import { Copy } from "~/parts/Copy";
import { Markdown } from "~/parts/Markdown";
import { Loaded } from "~/parts/Page";
import { StatusTag, Tag } from "~/parts/Tag";
import { amount, Time } from "~/parts/Time";
import { entriesIn, useActs, useMayChange, useRead, type Read } from "./contexts";
import { Memories } from "./Memories";
import { told, type Node } from "./places";
import { Revisions } from "./Revisions";
import classes from "./detail.module.css";

export type Dialog = "move" | "delete" | "new";
export type View = "text" | "memories" | "history";

interface Props {
  node: Node;
  view: View;
  setView: (view: View) => void;
  edit: (read: Read) => void;
  open: (dialog: Dialog) => void;
  mayAdd: boolean;
}

function More({
  node,
  read,
  open,
  compact,
}: Pick<Props, "node" | "open"> & { read?: Read; compact: () => void }) {
  const entries = read ? entriesIn(read.context.content) : 0;
  return (
    <Menu position="bottom-end" width={280}>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={`More to do with ${node.place.name}`}>
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
            {entries < 2
              ? "Only for two entries (## headings) and more"
              : `Its ${entries} entries become one that says each thing once`}
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

function Actions({ node, read, edit, open, mayAdd }: Omit<Props, "view" | "setView"> & { read?: Read }) {
  const { place } = node;
  const acts = useActs(place);
  const mayChange = useMayChange()(place);
  return (
    <Group gap="xs">
      {mayChange && place.state !== "approved" && (
        <Button leftSection={<IconCheck size={16} />} onClick={() => void acts.decide("approve")}>
          Approve
        </Button>
      )}
      {mayChange && (
        <Button
          variant={place.state === "approved" ? "filled" : "default"}
          leftSection={<IconPencil size={16} />}
          disabled={!read}
          onClick={() => read && edit(read)}
        >
          Edit
        </Button>
      )}
      {mayAdd && (
        <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => open("new")}>
          New below
        </Button>
      )}
      {mayChange && place.state !== "deprecated" && (
        <Tooltip label="Kept, but no agent gets it any more">
          <Button
            variant="default"
            leftSection={<IconArchive size={16} />}
            onClick={() => void acts.decide("deprecate")}
          >
            Deprecate
          </Button>
        </Tooltip>
      )}
      {mayChange && <More node={node} read={read} open={open} compact={() => void acts.compact()} />}
      {!mayChange && (
        <Text size="sm" c="dimmed">
          {place.projectId === null
            ? "For the whole team: its owner and admins may change it."
            : "You may read it, not change it."}
        </Text>
      )}
    </Group>
  );
}

/** The context that was chosen. */
export function Detail(props: Props) {
  const { node, view, setView } = props;
  const { place } = node;
  const read = useRead(place.id);
  const description = read.data?.context.description;
  const standing = place.items.approved + place.items.draft;
  return (
    <section aria-labelledby="context-name" className={classes.detail}>
      <Stack gap="md">
        <div>
          <Group gap="xs" mb={4}>
            <Title order={2} id="context-name" className={classes.name}>
              {place.name}
            </Title>
            <StatusTag status={place.state} />
            {place.projectId === null && (
              <Tag tone="info" title="All projects of the team have it">
                whole team
              </Tag>
            )}
            {place.contextType !== "memory" && <Tag tone="soft">{place.contextType}</Tag>}
            <Tag title="Which layer of the brain it belongs to">tier {place.tier}</Tag>
          </Group>
          {description && <Text mb={4}>{description}</Text>}
          <Group gap={4} className={classes.facts}>
            <span className={classes.key}>{place.schemaKey}</span>
            <Copy text={place.schemaKey} label="Copy the schema key" />
            <span>
              · {amount(place.tokens, "token")} · {told(place)} · changed <Time at={place.updatedAt} />
            </span>
          </Group>
        </div>
        <Actions {...props} read={read.data} />
        <Tabs value={view} onChange={(chosen) => chosen && setView(chosen as View)} keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="text">Text</Tabs.Tab>
            <Tabs.Tab value="memories">Memories{standing > 0 ? ` (${standing} here)` : ""}</Tabs.Tab>
            <Tabs.Tab value="history">History</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="text" pt="md">
            <Loaded of={read}>
              {({ context }) =>
                context.content.trim() ? (
                  <Markdown text={context.content} />
                ) : (
                  <Text c="dimmed" size="sm">
                    No text yet. Write down what holds for everything below {place.schemaKey}: agents read it
                    once it is approved.
                  </Text>
                )
              }
            </Loaded>
          </Tabs.Panel>
          <Tabs.Panel value="memories" pt="md">
            <Memories place={place} />
          </Tabs.Panel>
          <Tabs.Panel value="history" pt="md">
            <Revisions key={place.id} node={node} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </section>
  );
}
