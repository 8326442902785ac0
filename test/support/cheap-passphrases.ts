import { Encrypter } from "age-encryption";

/**
 * Makes a guess at a passphrase cheap in this process, until it is disposed: the work factor that users get keeps a processor busy
 * for a second whenever an archive is written or opened.
 */
export function cheapPassphrases(): Disposable {
  const setPassphrase = Reflect.get(Encrypter.prototype, "setPassphrase");
  Encrypter.prototype.setPassphrase = function set(words) {
    setPassphrase.call(this, words);
    this.setScryptWorkFactor(10);
  };
  return { [Symbol.dispose]: () => void (Encrypter.prototype.setPassphrase = setPassphrase) };
}
