import { Button, Code, Text, Title } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import type { ResponseBody } from "~/api/client";
import { useGet, useSend } from "~/api/hooks";
import { EmptyState, Loaded, Page } from "~/parts/Page";
import { Tag } from "~/parts/Tag";
import { canManageTeam, useMe } from "~/shell/login";
import classes from "./models.module.css";

type Model = ResponseBody<"/api/models", "get">[number];

const PURPOSES: Record<Model["purpose"], { name: string; about: string }> = {
  medium: {
    name: "Medium model",
    about: "Language model for sessions, answers, repository scans and hygiene.",
  },
  small: { name: "Small model", about: "Language model for projects whose model is set to Small." },
  embeddings: { name: "Embeddings", about: "Finds memories by meaning." },
  reader: { name: "Reader", about: "Decides which memories are relevant to a task or question." },
};

function ModelName({ model }: { model: Model }) {
  if (model.server !== null)
    return (
      <>
        <Code>{model.model}</Code> at <span className={classes.server}>{model.server}</span>{" "}
        <Tag>{model.hasKey ? "key set" : "no key"}</Tag>
      </>
    );
  if (model.model === "builtin") return "Built-in engine, without a language model";
  return (
    <>
      <Code>{model.model}</Code> <Tag>built in</Tag>
    </>
  );
}

function ModelRow({ model }: { model: Model }) {
  const test = useSend("post", "/api/models/test", { invalidates: ["/api/billing"] });
  const { name, about } = PURPOSES[model.purpose];
  const isTestable = model.server !== null || model.model !== "builtin";
  return (
    <li className={classes.model}>
      <div className={classes.description}>
        <Title order={2} size="h4">
          {name}
        </Title>
        <Text size="sm" c="dimmed">
          {about}
        </Text>
        <Text size="sm" mt={6} component="div" className={classes.breakable}>
          <ModelName model={model} />
        </Text>
        <div role="status">
          {test.data && (
            <Text size="sm" mt={6} className={classes.breakable}>
              <Tag tone={test.data.ok ? "good" : "bad"}>{test.data.ok ? "works" : "failed"}</Tag>{" "}
              {test.data.message}
            </Text>
          )}
        </div>
      </div>
      {isTestable && (
        <Button
          variant="default"
          size="xs"
          h={36}
          loading={test.isPending}
          onClick={() => test.mutate({ body: { purpose: model.purpose } })}
          aria-label={`Test ${name.toLowerCase()}`}
        >
          Test
        </Button>
      )}
    </li>
  );
}

function ModelList() {
  const models = useGet("/api/models");
  return (
    <Loaded query={models}>
      {(all) => (
        <>
          <ul className={classes.list} aria-label="Models">
            {all.map((model) => (
              <ModelRow key={model.purpose} model={model} />
            ))}
          </ul>
          <Text size="sm" c="dimmed" mt="md">
            To change the language models or embeddings, set <Code>LOREMARK_LLM_MEDIUM</Code> and related
            variables on the server and restart it. Testing a language model uses a few of the team's AI
            tokens. If a language model fails, the built-in engine takes over.
          </Text>
        </>
      )}
    </Loaded>
  );
}

export default function Models() {
  return (
    <Page title="Models" about="The models this server uses. Test whether each one works.">
      {canManageTeam(useMe()) ? (
        <ModelList />
      ) : (
        <EmptyState icon={<IconLock size={40} />} title="Only owners and admins can view the models">
          Ask a team admin which language model this server uses.
        </EmptyState>
      )}
    </Page>
  );
}
