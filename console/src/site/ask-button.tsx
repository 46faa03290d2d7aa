import { lazy, Suspense, useState } from 'react';
import type { SiteConfig } from '../api/client';
import { Button, ButtonAnchor } from '../ui/button';
import type { EnquiryProps } from './enquiry-dialog';

const EnquiryDialog = lazy(() => import('./enquiry-dialog'));

type AskButtonProps = Omit<EnquiryProps, 'onClose'> & { config: SiteConfig };

/** The way to ask for access: the owner's own page, or a form; nothing where there is neither. */
export function AskButton({ config, ...about }: AskButtonProps) {
  const [isAsking, setIsAsking] = useState(false);
  const { contact, has_public_catalogue: takesEnquiries } = config;
  if (contact !== null && (!takesEnquiries || !contact.startsWith('mailto:'))) {
    return (
      <ButtonAnchor kind="primary" href={contact}>
        Ask for access
      </ButtonAnchor>
    );
  }
  if (!takesEnquiries) return null;
  return (
    <>
      <Button kind="primary" onClick={() => setIsAsking(true)}>
        Ask for access
      </Button>
      {isAsking && (
        <Suspense>
          <EnquiryDialog {...about} onClose={() => setIsAsking(false)} />
        </Suspense>
      )}
    </>
  );
}
