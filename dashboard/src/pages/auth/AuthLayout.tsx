import { Text, Title } from "@mantine/core";
import { useEffect, type ReactNode } from "react";
import classes from "./auth.module.css";

function Brand({ className = "" }: { className?: string }) {
  return (
    <div className={`${classes.brand} ${className}`}>
      <img src="/assets/loremark.svg" alt="" width={34} height={34} />
      <span>Loremark</span>
    </div>
  );
}

const LINES = [0, 1, 2, 3, 4, 5, 6, 7];

/** A decorative page of text with a bookmark. */
function Illustration() {
  return (
    <svg
      className={classes.illustration}
      viewBox="0 0 600 560"
      preserveAspectRatio="xMidYMax slice"
      aria-hidden
    >
      <rect className={classes.sheet} x="90" y="120" width="420" height="520" rx="20" />
      {LINES.map((line) => (
        <rect
          key={line}
          className={classes.textLine}
          x="140"
          y={210 + line * 42}
          width={[230, 220, 190, 280, 300, 160, 260, 220][line]}
          height="12"
          rx="6"
        />
      ))}
      <path
        className={classes.ribbon}
        d="M404 100h64a10 10 0 0 1 10 10v170l-42-32-42 32V110a10 10 0 0 1 10-10z"
      />
    </svg>
  );
}

interface AuthLayoutProps {
  title: string;
  about?: ReactNode;
  children: ReactNode;
  /** Shown below the form. */
  hint?: ReactNode;
}

/** The layout of the signed-out pages: branding beside a form. */
export function AuthLayout({ title, about, children, hint }: AuthLayoutProps) {
  useEffect(() => {
    document.title = `${title} · Loremark`;
  }, [title]);
  return (
    <div className={classes.layout}>
      <aside className={classes.panel} aria-label="Loremark">
        <Illustration />
        <div className={classes.panelText}>
          <Brand />
        </div>
        <div className={classes.panelText} style={{ marginBottom: "auto", marginTop: "12vh" }}>
          <p className={classes.tagline}>Shared project memory for coding agents</p>
        </div>
      </aside>
      <main className={classes.content}>
        <div className={classes.form}>
          <Brand className={classes.brandOnPhone} />
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
