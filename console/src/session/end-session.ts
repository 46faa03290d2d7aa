/** Cleans up in the browser when a session ends, for whatever reason. */
import { postJson } from '../api/client';
import { keepSession, queryClient, sessionQuery } from '../api/queries';

/** Forgets everything that was loaded for the person. */
export function forgetSession(): void {
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, keepSession({ person: null }));
}

/** Ends whichever session this browser still has, where somebody else comes in. */
export async function endOwnSession(): Promise<void> {
  const session = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
  if (session.person !== null) await postJson('/session/end');
  forgetSession();
}
