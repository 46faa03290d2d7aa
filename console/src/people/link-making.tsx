import type { Person, PersonLink } from '@ticklake/client';
import { useState } from 'react';
import { clientState, postJson } from '../api/client';
import { utcMinuteText } from '../format/texts';
import { Button } from '../ui/button';
import { Dialog, DialogActions, SecretDialog } from '../ui/dialog';
import { tell } from '../ui/news';
import { Notice } from '../ui/page';
import { useChange } from '../ui/use-change';

const TITLES = {
  invitation: (email: string) => `Invitation for ${email}`,
  password_reset: (email: string) => `New password for ${email}`,
} as const;

function LinkDialog({ made, onClose }: { made: PersonLink; onClose: () => void }) {
  return (
    <SecretDialog
      secret={made.link ?? ''}
      title={TITLES[made.link_kind](made.email)}
      label="Link"
      warning="This is the only time the link is shown. Send it to this person and nobody else."
      doneLabel="Done"
      onClose={onClose}
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

interface MakeLinkDialogProps {
  person: Person;
  path: string;
  onMade: (link: PersonLink) => void;
  onClose: () => void;
}

function MakeLinkDialog({ person, path, onMade, onClose }: MakeLinkDialogProps) {
  const make = useChange({
    send: (body: { send_by_email?: boolean }) =>
      postJson<PersonLink>(`${path}/${person.person_id}/link`, body),
    touches: [['people']],
    onDone: (link) => {
      onClose();
      onMade(link);
    },
  });
  return (
    <Dialog onClose={onClose} {...words(person)}>
      {make.error && <Notice kind="danger">{make.error.message}</Notice>}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
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

/** Makes links for people, and shows those that were made. `path`: `/people`, or the own team's. */
export function useLinks(path: string) {
  const [asked, setAsked] = useState<Person | null>(null);
  const [made, setMade] = useState<PersonLink | null>(null);
  const show = (link: PersonLink) => {
    if (!link.is_link_sent) setMade(link);
    else tell({ title: `A link was e-mailed to ${link.email}` });
  };
  const onClose = () => setAsked(null);
  const dialogs = (
    <>
      {asked && <MakeLinkDialog person={asked} path={path} onMade={show} onClose={onClose} />}
      {made && <LinkDialog made={made} onClose={() => setMade(null)} />}
    </>
  );
  return { ask: setAsked, show, dialogs };
}
