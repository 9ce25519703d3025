// The page for signing in: takes a key from the fragment of a link, which the browser never sends, and clears the address.

const key = /** @type {HTMLInputElement} */ (document.querySelector("#key"));
const filled = /** @type {HTMLElement} */ (document.querySelector("#filled"));

function take() {
  const found = location.hash.slice(1);
  if (!/^ctk_[0-9a-f_]+$/.test(found)) return;
  key.value = found;
  history.replaceState(null, "", location.pathname + location.search);
  filled.textContent = "The link had a key, which is in the form now. Press “Sign in”.";
  /** @type {HTMLElement} */ (key.form?.querySelector("button")).focus();
}

take();
addEventListener("hashchange", take);
