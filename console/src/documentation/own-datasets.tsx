import { useQuery } from '@tanstack/react-query';
import { catalogueEntriesQuery, sessionQuery } from '../api/queries';

/** The datasets of the person who is signed in to the console, with their last dates. */
export function OwnDatasets() {
  const person = useQuery(sessionQuery).data?.person;
  const catalogue = useQuery({ ...catalogueEntriesQuery, enabled: Boolean(person) });
  if (person === undefined) return null;
  if (person === null) {
    return (
      <p>
        <a href="/console/">Sign in</a> to see here which datasets you may read, and their last
        dates.
      </p>
    );
  }
  const own = catalogue.data?.filter((entry) => entry.is_entitled) ?? [];
  if (own.length === 0) return null;
  return (
    <div className="table">
      <table>
        <thead>
          <tr>
            <th>You may read</th>
            <th>Text id</th>
            <th>Dataset’s last date</th>
          </tr>
        </thead>
        <tbody>
          {own.map(({ dataset_id: id, dataset_name: name, ...entry }) => (
            <tr key={id}>
              <td>
                <a href={`/console/catalogue/${id}`}>{name}</a>
              </td>
              <td>
                <code>{entry.dataset_text_id}</code>
              </td>
              <td>{entry.last_trade_date ?? 'no rows yet'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
