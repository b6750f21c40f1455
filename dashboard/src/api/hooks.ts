import {
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from "@tanstack/react-query";
import { showProblem } from "~/parts/toast";
import { call, tell, type Answer, type ApiError, type Given, type PathOf } from "./client";

/** How an answer is kept: by its address and what was asked. Live notices find it by the address. */
export function keyOf<P extends PathOf<"get">>(path: P, given: Given<P, "get"> = {}): unknown[] {
  return [path, given.path ?? {}, given.query ?? {}];
}

interface Options {
  enabled?: boolean;
  /** Show the last answer while another question (a filter, a budget) is on its way. */
  keep?: boolean;
}

export function useGet<P extends PathOf<"get">>(
  path: P,
  given: Given<P, "get"> = {},
  options: Options = {},
): UseQueryResult<Answer<P, "get">, ApiError> {
  return useQuery<Answer<P, "get">, ApiError>({
    queryKey: keyOf(path, given),
    queryFn: ({ signal }) => call("get", path, { ...given, signal }),
    enabled: options.enabled,
    placeholderData: options.keep ? (before) => before : undefined,
  });
}

/** A list that comes page by page; ``query`` without its cursor. */
export function usePages<P extends PathOf<"get">>(path: P, given: Given<P, "get">, options: Options = {}) {
  return useInfiniteQuery({
    queryKey: [...keyOf(path, given), "pages"],
    queryFn: ({ signal, pageParam }) =>
      tell("get", path, {
        ...given,
        query: { ...given.query, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      } as Given<P, "get">),
    initialPageParam: "",
    getNextPageParam: (last) => last.nextCursor,
    enabled: options.enabled,
    placeholderData: options.keep ? (before) => before : undefined,
  });
}

/** A change. Its failure is shown in words; what it touches is asked for anew. */
export function useSend<P extends PathOf<M>, M extends "post" | "put" | "patch" | "delete">(
  method: M,
  path: P,
  options: { touches?: string[]; quiet?: boolean } = {},
) {
  const cache = useQueryClient();
  return useMutation<Answer<P, M>, ApiError, Given<P, M>>({
    mutationFn: (given) => call(method, path, given),
    onError: (problem) => {
      if (!options.quiet) showProblem(problem);
    },
    onSettled: () =>
      Promise.all(
        (options.touches ?? []).map((prefix) => refresh(cache, (address) => address.startsWith(prefix))),
      ),
  });
}

/** Ask anew for all answers whose address is meant. */
export function refresh(cache: ReturnType<typeof useQueryClient>, meant: (address: string) => boolean) {
  return cache.invalidateQueries({ predicate: (query) => meant(String(query.queryKey[0])) });
}
