import { Title } from "@mantine/core";
import type { components } from "~/api/schema";
import parts from "~/parts/parts.module.css";
import { Tag, type Tone } from "~/parts/Tag";
import classes from "./genesis.module.css";

type Tech = components["schemas"]["TechEntry"];

const CATEGORIES: [Tech["category"], string, Tone][] = [
  ["language", "Languages", "info"],
  ["framework", "Frameworks", "soft"],
  ["backend", "Backend", "good"],
  ["database", "Databases", "warn"],
  ["styling", "Styling", "soft"],
  ["testing", "Testing", "plain"],
  ["tooling", "Tooling", "plain"],
];

export function TechStack({ stack }: { stack: Tech[] }) {
  return (
    <section className={parts.card} aria-labelledby="stack">
      <Title order={2} size="h4" id="stack" mb="sm">
        Tech stack
      </Title>
      <dl className={classes.stack}>
        {CATEGORIES.map(([category, name, tone]) => {
          const found = stack.filter((tech) => tech.category === category);
          if (found.length === 0) return null;
          return (
            <div key={category}>
              <dt>{name}</dt>
              <dd>
                {found.map((tech) => (
                  <Tag key={`${tech.name} ${tech.version}`} tone={tone}>
                    {tech.name}
                    {tech.version && <span className={classes.version}>{tech.version}</span>}
                  </Tag>
                ))}
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}
