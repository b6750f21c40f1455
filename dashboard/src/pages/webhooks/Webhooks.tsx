import { Alert, Button } from "@mantine/core";
import { IconArchive, IconLock, IconPlus, IconWebhook } from "@tabler/icons-react";
import { useState } from "react";
import { useGet } from "~/api/hooks";
import { Empty, Loaded, Page } from "~/parts/Page";
import { useMayManage, useMayWrite, useProject } from "~/shell/project";
import { HookCard } from "./HookCard";
import { HookForm } from "./HookForm";
import classes from "./webhooks.module.css";

const ABOUT = "Tell your own systems what happens in this project, the moment it happens.";

function List({ mayWrite, make }: { mayWrite: boolean; make: () => void }) {
  const project = useProject();
  const hooks = useGet("/api/webhooks", { query: { projectId: project.id } });
  return (
    <Loaded of={hooks}>
      {(all) =>
        all.length === 0 ? (
          <Empty
            icon={<IconWebhook size={40} />}
            title="Nobody is told yet"
            action={
              mayWrite && (
                <Button mt="xs" onClick={make}>
                  Make the first webhook
                </Button>
              )
            }
          >
            A webhook is an address of yours. For every event you choose (a session ends, an item is learned,
            enrichment fails) we send a signed POST to it, try again for 15 hours if it does not answer, and
            keep a log of what was sent.
          </Empty>
        ) : (
          <ul className={classes.hooks} aria-label="Webhooks">
            {all.map((webhook) => (
              <HookCard key={webhook.id} webhook={webhook} mayWrite={mayWrite} open={all.length === 1} />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

export default function Webhooks() {
  const project = useProject();
  const mayManage = useMayManage();
  const mayWrite = useMayWrite() && mayManage;
  const [making, setMaking] = useState(false);
  if (!mayManage)
    return (
      <Page title="Webhooks" about={ABOUT}>
        <Empty icon={<IconLock size={40} />} title="Webhooks are set by those who manage the project">
          That is the project's owner, and the team's owner and admins. They can have events of {project.name}{" "}
          sent to an address: for a message in your team's chat when enrichment fails, or a board that grows
          with the memory.
        </Empty>
      </Page>
    );
  return (
    <Page
      title="Webhooks"
      about={ABOUT}
      actions={
        mayWrite && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setMaking(true)}>
            New webhook
          </Button>
        )
      }
    >
      {project.status === "archived" && (
        <Alert icon={<IconArchive />} color="gray" variant="outline" mb="md">
          The project is archived: nothing is sent. Its webhooks can be read and deleted.
        </Alert>
      )}
      <List mayWrite={mayWrite} make={() => setMaking(true)} />
      <HookForm opened={making} known={null} close={() => setMaking(false)} />
    </Page>
  );
}
