/*
 * text_file.h
 *	  Files of the checkout that tests compare with.
 */
#ifndef TEXT_FILE_H
#define TEXT_FILE_H

/* The folder of the checkout; "." unless core_test is told another. */
extern const char *checkout_folder;

/*
 * The text of a file, by its name in the checkout.  A file that cannot be read is a failed
 * check, and an empty text.  The caller frees it.
 */
extern char *read_text_file(const char *name);

#endif							/* TEXT_FILE_H */
