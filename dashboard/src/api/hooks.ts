import {
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from "@tanstack/react-query";
import { showError } from "~/parts/toast";
import { call, request, type ApiError, type PathOf, type RequestOptions, type ResponseBody } from "./client";

/** Cache key of a GET. Live notices invalidate by its first element, the path. */
export function queryKey<P extends PathOf<"get">>(path: P, params: RequestOptions<P, "get"> = {}): unknown[] {
  return [path, params.path ?? {}, params.query ?? {}];
}

interface Options {
  enabled?: boolean;
  /** Keep showing the previous data while a changed query loads. */
  keepPrevious?: boolean;
}

export function useGet<P extends PathOf<"get">>(
  path: P,
  params: RequestOptions<P, "get"> = {},
  options: Options = {},
): UseQueryResult<ResponseBody<P, "get">, ApiError> {
  return useQuery<ResponseBody<P, "get">, ApiError>({
    queryKey: queryKey(path, params),
    queryFn: ({ signal }) => call("get", path, { ...params, signal }),
    enabled: options.enabled,
    placeholderData: options.keepPrevious ? (previous) => previous : undefined,
  });
}

/** A cursor-paginated list; pass the query without its cursor. */
export function useGetPages<P extends PathOf<"get">>(
  path: P,
  params: RequestOptions<P, "get">,
  options: Options = {},
) {
  return useInfiniteQuery({
    queryKey: [...queryKey(path, params), "pages"],
    queryFn: ({ signal, pageParam }) =>
      request("get", path, {
        ...params,
        query: { ...params.query, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      } as RequestOptions<P, "get">),
    initialPageParam: "",
    getNextPageParam: (last) => last.nextCursor,
    enabled: options.enabled,
    placeholderData: options.keepPrevious ? (previous) => previous : undefined,
  });
}

/** A mutation. Shows errors as a toast unless `quiet`; `invalidates` lists the path prefixes to refetch. */
export function useSend<P extends PathOf<M>, M extends "post" | "put" | "patch" | "delete">(
  method: M,
  path: P,
  options: { invalidates?: string[]; quiet?: boolean } = {},
) {
  const cache = useQueryClient();
  return useMutation<ResponseBody<P, M>, ApiError, RequestOptions<P, M>>({
    mutationFn: (params) => call(method, path, params),
    onError: (error) => {
      if (!options.quiet) showError(error);
    },
    onSettled: () =>
      Promise.all(
        (options.invalidates ?? []).map((prefix) => invalidate(cache, (path) => path.startsWith(prefix))),
      ),
  });
}

/** Refetches every query whose path matches. */
export function invalidate(cache: ReturnType<typeof useQueryClient>, matches: (path: string) => boolean) {
  return cache.invalidateQueries({ predicate: (query) => matches(String(query.queryKey[0])) });
}
