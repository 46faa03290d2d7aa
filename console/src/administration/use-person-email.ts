import { useQuery } from '@tanstack/react-query';
import { peopleQuery } from './queries';

/** The e-mail address that a person has today; undefined while it is not known. */
export function usePersonEmail(id: number): string | undefined {
  const { data: people } = useQuery(peopleQuery(null));
  return people?.find(({ person_id }) => person_id === id)?.email;
}
