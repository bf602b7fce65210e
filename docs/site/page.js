// All that the page does by itself: commands can be copied, and contents close when they have led somewhere.
for (const button of document.querySelectorAll('.copy')) {
  const command = button.nextElementSibling;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = 'Copied';
    } catch {
      // Without a secure address there is no clipboard: the command is marked, ready for the keyboard.
      getSelection().selectAllChildren(command);
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
}

addEventListener('hashchange', () => {
  for (const contents of document.querySelectorAll('.narrow')) contents.open = false;
});
