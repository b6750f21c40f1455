import { createContext, useContext, useEffect, type ReactNode } from "react";
import { useLocation } from "wouter";
import { useQueryClient } from "@tanstack/react-query";
import { signedOut } from "~/api/client";
import { useGet } from "~/api/hooks";
import { useLive } from "~/api/live";
import type { Me } from "~/api/types";
import { Loaded } from "~/parts/Page";

const Login = createContext<Me | null>(null);

export function useMe(): Me {
  const me = useContext(Login);
  if (me === null) throw new Error("useMe is for pages behind the sign-in");
  return me;
}

/** Owners and admins manage the team; the owner alone pays. */
export const manages = (me: Me) => me.role === "owner" || me.role === "admin";

/** Where to go after signing in: only to a page of our own. */
export function safeNext(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "/";
  // A browser takes tabs and line breaks out of an address: "/", tab, "/elsewhere" would lead elsewhere.
  return /^\/(?![/\\])/.test(next) && !/[\t\n\r]/.test(next) ? next : "/";
}

/** Pages for whoever is signed in; others are led to the sign-in page and back. */
export function SignedIn({ children }: { children: ReactNode }) {
  const me = useGet("/api/auth/me");
  const cache = useQueryClient();
  const [, go] = useLocation();
  const out = me.error?.status === 401;
  useLive(me.data !== undefined && !out);
  useEffect(() => {
    const leave = () => {
      cache.clear();
      const here = window.location.pathname + window.location.search;
      go(here === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(here)}`, { replace: true });
    };
    if (out) leave();
    signedOut.addEventListener("out", leave);
    return () => signedOut.removeEventListener("out", leave);
  }, [out, cache, go]);
  if (out) return null;
  return <Loaded of={me}>{(data) => <Login.Provider value={data}>{children}</Login.Provider>}</Loaded>;
}
