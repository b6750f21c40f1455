import { useGet } from "~/api/hooks";
import { useMe } from "./login";

/** Returns a label for a user ID: "by you", "by Noor". */
export function useAuthorLabel(): (id: string | null) => string {
  const me = useMe();
  const team = useGet("/api/team");
  return (id) => {
    if (id === null) return "";
    if (id === me.userId) return "by you";
    const member = (team.data ?? []).find((entry) => "userId" in entry && entry.userId === id);
    return `by ${member && "name" in member ? member.name : "a former member"}`;
  };
}
