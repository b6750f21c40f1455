import { Text, Title } from "@mantine/core";
import { useEffect, type ReactNode } from "react";
import classes from "./door.module.css";

function Brand({ className = "" }: { className?: string }) {
  return (
    <div className={`${classes.brand} ${className}`}>
      <img src="/assets/loremark.svg" alt="" width={34} height={34} />
      <span>Loremark</span>
    </div>
  );
}

/** Hills in the morning, and a loremark that somebody has left for those who come after. */
function Land() {
  return (
    <svg className={classes.land} viewBox="0 0 600 560" preserveAspectRatio="xMidYMax slice" aria-hidden>
      <path className={classes.far} d="M0 296 C90 230 150 250 235 282 S430 250 600 196 V560 H0Z" />
      <path className={classes.middle} d="M0 372 C120 330 220 380 330 378 S500 330 600 322 V560 H0Z" />
      <g transform="translate(300 244) scale(3.2)">
        <ellipse cx="32" cy="53" rx="26" ry="8" fill="#4c6074" />
        <ellipse cx="33" cy="38" rx="19" ry="7" fill="#63798f" />
        <ellipse cx="31" cy="25" rx="13" ry="6" fill="#8fa5bb" />
        <ellipse cx="32" cy="14" rx="8" ry="5" fill="#e0a458" />
      </g>
      <path className={classes.near} d="M0 498 C130 440 260 426 380 432 S540 450 600 436 V560 H0Z" />
    </svg>
  );
}

interface DoorProps {
  title: string;
  about?: ReactNode;
  children: ReactNode;
  /** Other ways in, below the form. */
  hint?: ReactNode;
}

/** What is seen before one is in: a quiet view and one thing to do. */
export function Door({ title, about, children, hint }: DoorProps) {
  useEffect(() => {
    document.title = `${title} · Loremark`;
  }, [title]);
  return (
    <div className={classes.door}>
      <aside className={classes.view} aria-label="Loremark">
        <Land />
        <div className={classes.words}>
          <Brand />
        </div>
        <div className={classes.words} style={{ marginBottom: "auto", marginTop: "12vh" }}>
          <p className={classes.saying}>What your agents learnt yesterday, they know today.</p>
        </div>
      </aside>
      <main className={classes.side}>
        <div className={classes.form}>
          <Brand className={classes.brandHere} />
          <Title order={1} mb={about ? 4 : "lg"}>
            {title}
          </Title>
          {about && (
            <Text c="dimmed" mb="lg" component="div">
              {about}
            </Text>
          )}
          {children}
          {hint && (
            <Text size="sm" c="dimmed" component="div" className={classes.hint}>
              {hint}
            </Text>
          )}
        </div>
      </main>
    </div>
  );
}
