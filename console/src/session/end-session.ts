/** Cleans up in the browser when a session ends, for whatever reason. */
import { keepSession, queryClient, sessionQuery } from '../api/queries';

/** Forgets everything that was loaded for the person. */
export function forgetSession(): void {
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, keepSession({ person: null }));
}
