import { Alert, Button } from "@mantine/core";
import { IconArchive, IconLock, IconPlus, IconWebhook } from "@tabler/icons-react";
import { useState } from "react";
import { useGet } from "~/api/hooks";
import { EmptyState, Loaded, Page } from "~/parts/Page";
import { useCanManage, useCanWrite, useProject } from "~/shell/project";
import { WebhookCard } from "./WebhookCard";
import { WebhookForm } from "./WebhookForm";
import classes from "./webhooks.module.css";

const ABOUT = "Send this project's events to your own systems as they happen.";

function WebhookList({ canWrite, onCreate }: { canWrite: boolean; onCreate: () => void }) {
  const project = useProject();
  const webhooks = useGet("/api/webhooks", { query: { projectId: project.id } });
  return (
    <Loaded query={webhooks}>
      {(all) =>
        all.length === 0 ? (
          <EmptyState
            icon={<IconWebhook size={40} />}
            title="No webhooks yet"
            action={
              canWrite && (
                <Button mt="xs" onClick={onCreate}>
                  Create webhook
                </Button>
              )
            }
          >
            A webhook sends a POST request to your URL for each event you select, such as a finished session,
            a new memory or a failed enrichment. Failed deliveries are retried for 15 hours and logged here.
          </EmptyState>
        ) : (
          <ul className={classes.webhooks} aria-label="Webhooks">
            {all.map((webhook) => (
              <WebhookCard
                key={webhook.id}
                webhook={webhook}
                canWrite={canWrite}
                initiallyOpen={all.length === 1}
              />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

export default function Webhooks() {
  const project = useProject();
  const canManage = useCanManage();
  const canWrite = useCanWrite() && canManage;
  const [creating, setCreating] = useState(false);
  if (!canManage)
    return (
      <Page title="Webhooks" about={ABOUT}>
        <EmptyState icon={<IconLock size={40} />} title="Only project admins can manage webhooks">
          Webhooks send events from {project.name} to other systems, for example a chat message when
          enrichment fails. Ask a project admin to set one up.
        </EmptyState>
      </Page>
    );
  return (
    <Page
      title="Webhooks"
      about={ABOUT}
      actions={
        canWrite && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
            New webhook
          </Button>
        )
      }
    >
      {project.status === "archived" && (
        <Alert icon={<IconArchive />} color="gray" variant="outline" mb="md">
          This project is archived, so no events are sent. You can still view and delete its webhooks.
        </Alert>
      )}
      <WebhookList canWrite={canWrite} onCreate={() => setCreating(true)} />
      <WebhookForm opened={creating} webhook={null} close={() => setCreating(false)} />
    </Page>
  );
}
