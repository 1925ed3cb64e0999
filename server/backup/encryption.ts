import { pipeline, Readable } from 'node:stream';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { Decrypter, Encrypter } from 'age-encryption';
import { DamagedBackup } from './container.ts';

/** The passphrase is wrong. age cannot tell it from a header made for another one. */
export class WrongPassphrase extends Error {}

/** Compresses and encrypts a stream in the format of age (age-encryption.org), so that the `age` command opens it too. */
export async function encrypted(content: Readable, passphrase: string): Promise<Readable> {
  const compress = createZstdCompress();
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  // A failure destroys the last stream with its cause, where its reader learns it.
  pipeline(content, compress, () => {});
  return fromWeb(await encrypter.encrypt(toWeb(compress)));
}

/**
 * The content of `encrypted`. Each part is verified before it is returned, and the end of the file when the content ends.
 * @throws WrongPassphrase, and DamagedBackup when the file is changed or truncated
 */
export async function* decrypted(file: Readable, passphrase: string): AsyncGenerator<Buffer> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  const decompress = createZstdDecompress();
  try {
    pipeline(fromWeb(await decrypter.decrypt(toWeb(file))), decompress, () => {});
    for await (const chunk of decompress) yield chunk as Buffer;
  } catch (error) {
    const { message } = error as Error;
    if (/no identity matched/.test(message)) throw new WrongPassphrase(message, { cause: error });
    throw new DamagedBackup(`is damaged, incomplete or no backup (${message})`, { cause: error });
  } finally {
    file.destroy();
    decompress.destroy();
  }
}

// The types of Node and of the DOM differ for the same class.
function toWeb(stream: Readable): ReadableStream<Uint8Array<ArrayBuffer>> {
  return Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
}

function fromWeb(stream: ReadableStream): Readable {
  return Readable.fromWeb(stream as unknown as Parameters<typeof Readable.fromWeb>[0]);
}
