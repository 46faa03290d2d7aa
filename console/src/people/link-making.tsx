import type { Person, PersonLink } from '@ticklake/client';
import { clientState, postJson } from '../api/client';
import { utcMinuteText } from '../format/texts';
import { Button } from '../ui/button';
import { Dialog, DialogActions, SecretDialog } from '../ui/dialog';
import { tell } from '../ui/news';
import { closeDialog, showDialog } from '../ui/open-dialog';
import { Notice } from '../ui/page';
import { useChange } from '../ui/use-change';

const TITLES = {
  invitation: (email: string) => `Invitation for ${email}`,
  password_reset: (email: string) => `New password for ${email}`,
} as const;

function LinkDialog({ made }: { made: PersonLink }) {
  return (
    <SecretDialog
      secret={made.link ?? ''}
      title={TITLES[made.link_kind](made.email)}
      label="Link"
      warning="This is the only time the link is shown. Send it to this person and nobody else."
      doneLabel="Done"
    >
      <p>
        It works once, until {utcMinuteText(made.link_expires_at)}. If it gets lost, make a new one.
      </p>
    </SecretDialog>
  );
}

/** The link would be the person's first way in; the service decides by the same. */
export function isInvited({ is_password_initial, last_sign_in_at }: Person): boolean {
  return is_password_initial && last_sign_in_at === null;
}

export function linkLabel(person: Person): string {
  return isInvited(person) ? 'Invitation link…' : 'Link for a new password…';
}

function words(person: Person) {
  const { email } = person;
  return isInvited(person)
    ? {
        title: `Make an invitation link for ${email}?`,
        description:
          'With the link, this person chooses a password and can sign in. Until then an initial password that you gave them keeps working; earlier links stop.',
      }
    : {
        title: `Make a link for ${email}?`,
        description:
          'With the link, this person chooses a new password. Until then the current password and sessions keep working; earlier links stop.',
      };
}

/** Shows a link that was made, unless it was sent. */
export function showLink(made: PersonLink): void {
  if (made.is_link_sent) tell({ title: `A link was e-mailed to ${made.email}` });
  else showDialog(<LinkDialog made={made} />);
}

function MakeLinkDialog({ person, path }: { person: Person; path: string }) {
  const make = useChange({
    send: (body: { send_by_email?: boolean }) =>
      postJson<PersonLink>(`${path}/${person.person_id}/link`, body),
    touches: [['people']],
    closes: true,
    onDone: showLink,
  });
  return (
    <Dialog {...words(person)}>
      {make.error && <Notice kind="danger">{make.error.message}</Notice>}
      <DialogActions>
        <Button onClick={closeDialog}>Cancel</Button>
        {clientState.sendsEmail && (
          <Button isBusy={make.isPending} onClick={() => make.mutate({ send_by_email: true })}>
            E-mail link
          </Button>
        )}
        <Button kind="primary" isBusy={make.isPending} onClick={() => make.mutate({})}>
          Show link
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** Asks for a link for a person. `path`: `/people`, or the own team's. */
export function askForLink(person: Person, path: string): void {
  showDialog(<MakeLinkDialog person={person} path={path} />);
}
