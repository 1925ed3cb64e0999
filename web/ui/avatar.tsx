import { useState } from 'react';

/** The picture of a person, or the first letter of the name. */
export function Avatar({ name, picture }: { name: string; picture: string | null }) {
  const [broken, setBroken] = useState<string>();
  const look = 'flex size-5 shrink-0 items-center justify-center rounded-full';
  if (picture !== null && picture !== broken && picture.startsWith('https://')) {
    return (
      <img
        src={picture}
        alt=""
        loading="lazy"
        // The picture host does not learn which page is shown.
        referrerPolicy="no-referrer"
        className={`${look} object-cover`}
        onError={() => setBroken(picture)}
      />
    );
  }
  return (
    <span aria-hidden className={`${look} bg-selected text-2xs font-semibold text-text`}>
      {(name.trim().at(0) ?? '?').toUpperCase()}
    </span>
  );
}
