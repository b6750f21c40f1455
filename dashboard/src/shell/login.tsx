import { createContext, useContext, useEffect, type ReactNode } from "react";
import { useLocation } from "wouter";
import { useQueryClient } from "@tanstack/react-query";
import { signedOut } from "~/api/client";
import { useGet } from "~/api/hooks";
import { useLive } from "~/api/live";
import type { CurrentUser } from "~/api/types";
import { Loaded } from "~/parts/Page";

const LoginContext = createContext<CurrentUser | null>(null);

export function useMe(): CurrentUser {
  const me = useContext(LoginContext);
  if (me === null) throw new Error("useMe needs a signed-in page");
  return me;
}

/** Owners and admins manage the team; only the owner pays. */
export const canManageTeam = (me: CurrentUser) => me.role === "owner" || me.role === "admin";

/** Where to go after signing in; only paths on this site. */
export function safeNext(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "/";
  // Browsers strip tabs and line breaks from URLs: "/", tab, "/evil.example" would leave this site.
  return /^\/(?![/\\])/.test(next) && !/[\t\n\r]/.test(next) ? next : "/";
}

/** Renders its children for signed-in users; others go to the sign-in page and come back afterwards. */
export function RequireSignIn({ children }: { children: ReactNode }) {
  const me = useGet("/api/auth/me");
  const cache = useQueryClient();
  const [, go] = useLocation();
  const signedOutNow = me.error?.status === 401;
  useLive(me.data !== undefined && !signedOutNow);
  useEffect(() => {
    const leave = () => {
      cache.clear();
      const current = window.location.pathname + window.location.search;
      go(current === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(current)}`, { replace: true });
    };
    if (signedOutNow) leave();
    signedOut.addEventListener("out", leave);
    return () => signedOut.removeEventListener("out", leave);
  }, [signedOutNow, cache, go]);
  if (signedOutNow) return null;
  return (
    <Loaded query={me}>
      {(data) => <LoginContext.Provider value={data}>{children}</LoginContext.Provider>}
    </Loaded>
  );
}
